/** The parts of a message or of a tool's output that are not text. */
import type { AttachmentView } from '../../contract/viewParts.js';
import {
  type ContentBlock,
  isContextBlock,
  isSymbolsBlock,
  printedText,
  rangeIn,
  stripControls,
  type TextRange,
} from '../../core/index.js';

/** Returns the parts of a message that are not text. */
export function attachmentsOf(content: readonly ContentBlock[]): AttachmentView[] {
  return content.flatMap((block): AttachmentView[] => {
    switch (block.type) {
      case 'text':
        return [];
      case 'image':
        return [imageView(block)];
      case 'audio':
        return [{ kind: 'audio', label: 'Audio', mimeType: block.mimeType }];
      case 'resource_link':
        return [{ kind: 'link', label: stripControls(block.title || block.name || block.uri || 'Link'), uri: block.uri }];
      case 'resource':
        return [resourceView(block)];
      default:
        return [{ kind: 'other', label: 'Content of an unknown kind' }];
    }
  });
}

const drawable = /^image\/(?:png|jpeg|gif|webp)$/;

/** A picture that the page cannot draw is a link if it has an address, and otherwise says what it is. */
function imageView({ mimeType, data, uri }: Extract<ContentBlock, { type: 'image' }>): AttachmentView {
  if (drawable.test(mimeType) && /^[\w+/\s]+=*\s*$/.test(data)) return { kind: 'image', label: 'Image', mimeType, data };
  if (uri) return { kind: 'image', label: stripControls(uri), uri };
  return { kind: 'image', label: `Image that can't be shown${mimeType === '' ? '' : ` (${stripControls(mimeType)})`}` };
}

function resourceView(block: Extract<ContentBlock, { type: 'resource' }>): AttachmentView {
  const { resource } = block;
  const text = 'text' in resource ? { text: printedText(resource.text) } : {};
  if (isContextBlock(block)) return { kind: 'resource', label: 'Earlier conversation', ...text };
  const label = isSymbolsBlock(block) ? `Symbols of ${fileLabel(resource.uri)}` : fileLabel(resource.uri);
  return { kind: 'resource', label, uri: resource.uri, ...text };
}

/** Returns the name of a file with its line numbers, like the name of a selection; any other URI is returned unchanged. */
function fileLabel(uri: string): string {
  const name = URL.canParse(uri) && new URL(uri).protocol === 'file:' ? new URL(uri).pathname.split('/').at(-1) : undefined;
  if (name === undefined || name === '') return uri;
  const range = rangeIn(uri);
  return `${decoded(name)}${range === undefined ? '' : linesOf(range)}`;
}

/** The agent may have written an invalid URI. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** 1-based. A range that ends at the beginning of a line contains nothing of that line. */
function linesOf({ start, end }: TextRange): string {
  const last = Math.max(start.line, end.character === 0 ? end.line - 1 : end.line);
  return last === start.line ? `:${start.line + 1}` : `:${start.line + 1}–${last + 1}`;
}
