import type { ContentBlock } from '../../core/index.js';

/** Returns what a terminal can show of a block; a link gets a separate line. */
export function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link':
      return `\n[${block.title || block.name || block.uri}](${block.uri})\n`;
    case 'resource':
      return 'text' in block.resource ? block.resource.text : `[${block.resource.uri}]`;
    case 'image':
      if (block.data === '' && block.uri) return `\n[Image](${block.uri})\n`;
      return `[${block.mimeType || 'image'}]`;
    case 'audio':
      return `[${block.mimeType || 'audio'}]`;
    default:
      return "[content that can't be shown]";
  }
}
