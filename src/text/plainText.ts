/** Text of agents as plain text: on one line, or without what only a page can show. */
import { type ContentBlock, stripControls } from '../core/index.js';

/** Removes characters that reverse the rest of a line, and with it what others write beside the text. */
export function withoutDirection(text: string): string {
  return text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '');
}

let characters: Intl.Segmenter | undefined;

/** Each character as a reader sees it, which may consist of any number of code units. */
export function charactersOf(text: string): readonly string[] {
  characters ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(characters.segment(text), ({ segment }) => segment);
}

/** Returns at most `most` UTF-16 code units. Half of an emoji or a letter without its accent would look like damage. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  characters ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  // One character may consist of any number of code units.
  const end = characters.segment(text.slice(0, 2 * most)).containing(most - 1)?.index ?? 0;
  return withEllipsis(text.slice(0, end === 0 ? most - 1 : end));
}

/** Ends a text that is cut: a text that itself ends with an ellipsis gets no second one. */
export function withEllipsis(cut: string): string {
  return `${cut.replace(/[\s\u2026\ud800-\udbff]+$/, '')}…`;
}

/** One line of at most `most` UTF-16 code units. */
export function oneLine(text: string, most = 160): string {
  return shorten(withoutDirection(stripControls(text)).replace(/\s+/g, ' ').trim(), most);
}

/** Returns what text can show of a block; a link gets a separate line. */
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

/** A prompt on one line, with the files that the user added by their names: their addresses would hide what is asked. */
export function promptLine(content: readonly ContentBlock[], most?: number): string {
  const words = content.map((block) => (block.type === 'resource_link' ? `@${block.title || block.name || block.uri}` : textOf(block)));
  return oneLine(words.join(' '), most);
}
