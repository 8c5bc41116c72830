/** Converts a prompt to the forms that an agent accepts: always text and links, and the rest if it declares support. */
import { HostError } from '../base/errors.js';
import { fenced } from '../base/fenced.js';
import type { ContentBlock } from '../session/model.js';
import type { AgentInfo } from './agentBackend.js';

/** @throws HostError `unsupported` for an image or audio that the agent doesn't accept: leaving it out silently would change the prompt */
export function toAcceptedContent(content: readonly ContentBlock[], accepted: AgentInfo['promptContent']): readonly ContentBlock[] {
  return content.map((block) => {
    switch (block.type) {
      case 'text':
      case 'resource_link':
        return block;
      case 'image':
      case 'audio':
        if (accepted.includes(block.type)) return block;
        if (block.type === 'image' && block.uri != null)
          return { type: 'resource_link', uri: block.uri, name: nameOf(block.uri), mimeType: block.mimeType };
        throw new HostError('unsupported', { reason: 'prompt_content', blockType: block.type });
      case 'resource':
        return accepted.includes('resource') ? block : inline(block);
    }
  });
}

/** Uses the text itself if there is one, because the agent may not be able to read the target of a link, for example an unsaved editor. */
function inline({ resource }: Extract<ContentBlock, { type: 'resource' }>): ContentBlock {
  if ('text' in resource) return { type: 'text', text: `${resource.uri}\n${fenced(resource.text)}` };
  return {
    type: 'resource_link',
    uri: resource.uri,
    name: nameOf(resource.uri),
    ...(resource.mimeType == null ? {} : { mimeType: resource.mimeType }),
  };
}

function nameOf(uri: string): string {
  return (
    uri
      .split(/[/\\]/)
      .filter((part) => part !== '')
      .at(-1) ?? uri
  );
}
