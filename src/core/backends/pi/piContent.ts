/** Converts content between Pi's form and the host's. */
import { HostError } from '../../base/errors.js';
import type { ContentBlock } from '../../session/model.js';
import type { AgentInfo } from '../agentBackend.js';
import { toAcceptedContent } from '../promptContent.js';
import type { PiContent } from './schema/messages.js';

/** Images are accepted in addition to text; the agent decides whether its model supports them. */
export const promptContent: AgentInfo['promptContent'] = ['image'];

export interface PiPrompt {
  readonly message: string;
  readonly images?: readonly { readonly type: 'image'; readonly data: string; readonly mimeType: string }[];
}

/** @throws HostError like toAcceptedContent */
export function toPiPrompt(content: readonly ContentBlock[]): PiPrompt {
  const blocks = toAcceptedContent(content, promptContent);
  const message = blocks
    .flatMap((block) => (block.type === 'text' ? [block.text] : block.type === 'resource_link' ? [linkText(block.uri)] : []))
    .join('\n');
  const prompt: PiPrompt = { message, ...imagesIn(blocks) };
  if (message === '' && prompt.images === undefined) throw new HostError('unsupported', { reason: 'prompt_content', blockType: 'empty' });
  return prompt;
}

/** Returns the pictures of a prompt; no member if it has none. */
export function imagesIn(content: readonly ContentBlock[]): Pick<PiPrompt, 'images'> {
  const images = content.flatMap((block) =>
    block.type === 'image' ? [{ type: 'image' as const, data: block.data, mimeType: block.mimeType }] : [],
  );
  return images.length === 0 ? {} : { images };
}

/** Returns a path, because the agent's tools take paths. */
function linkText(uri: string): string {
  if (!uri.startsWith('file:///')) return uri;
  try {
    return decodeURIComponent(new URL(uri).pathname);
  } catch {
    // The name contains a percent sign that is not a URL escape.
    return uri;
  }
}

export function toBlocks(content: PiContent): readonly ContentBlock[] {
  return content.map((part) => (part.type === 'text' ? { type: 'text', text: part.text } : { ...part }));
}
