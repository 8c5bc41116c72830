/** Content in Pi's form and in the host's. */
import { HostError } from '../../base/errors.js';
import type { ContentBlock } from '../../session/model.js';
import type { AgentInfo } from '../agentBackend.js';
import { toAcceptedContent } from '../promptContent.js';
import type { PiContent } from './schema/messages.js';

/** Images beside text: whether a model takes them is for the agent to say. */
export const promptContent: AgentInfo['promptContent'] = ['image'];

export interface PiPrompt {
  readonly message: string;
  readonly images?: readonly { readonly type: 'image'; readonly data: string; readonly mimeType: string }[];
}

/** @throws HostError as toAcceptedContent */
export function toPiPrompt(content: readonly ContentBlock[]): PiPrompt {
  const blocks = toAcceptedContent(content, promptContent);
  const images = blocks.flatMap((block) =>
    block.type === 'image' ? [{ type: 'image' as const, data: block.data, mimeType: block.mimeType }] : [],
  );
  const message = blocks
    .flatMap((block) => (block.type === 'text' ? [block.text] : block.type === 'resource_link' ? [linkText(block.uri)] : []))
    .join('\n');
  if (message === '' && images.length === 0) throw new HostError('unsupported', { reason: 'prompt_content', blockType: 'empty' });
  return images.length === 0 ? { message } : { message, images };
}

/** A path is what its tools take. */
function linkText(uri: string): string {
  if (!uri.startsWith('file:///')) return uri;
  try {
    return decodeURIComponent(new URL(uri).pathname);
  } catch {
    // A name with a percent sign that is none of URL's.
    return uri;
  }
}

export function toBlocks(content: PiContent): readonly ContentBlock[] {
  return content.map((part) => (part.type === 'text' ? { type: 'text', text: part.text } : { ...part }));
}
