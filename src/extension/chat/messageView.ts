/** Maps messages for the page: texts and what is between them, in the order in which the agent sent them. */

import {
  type ContentBlock,
  isContextBlock,
  isSymbolsBlock,
  type MessageItem,
  type OutboxPrompt,
  printedText,
  rangeIn,
  sharesText,
  stripControls,
  type TextRange,
} from '../../core/index.js';
import { type OpenBlocks, openBlocksOf, openingOf } from '../../text/openMarkdown.js';
import type { AgentItemView, AgentTextView, ItemView } from '../../contract/view.js';
import type { AttachmentView } from '../../contract/viewParts.js';

/** Returns a prompt that waits, as a row of a list. */
export function promptRow({ id, content }: Pick<OutboxPrompt, 'id' | 'content'>): { readonly id: string; readonly text: string } {
  return { id, text: textOf(content) };
}

/** Returns the parts of a message or of a tool's output that are not text. */
export function attachmentsOf(content: readonly ContentBlock[]): AttachmentView[] {
  const pictures = content.filter(({ type }) => type === 'image');
  return content.flatMap((block): AttachmentView[] => {
    switch (block.type) {
      case 'text':
        return [];
      case 'image':
        return [imageView(block, pictures.length > 1 ? pictures.indexOf(block) + 1 : undefined)];
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

/**
 * A picture that the page cannot draw is a link if it has an address, and otherwise says what it is.
 * @param number which of several pictures of the message it is
 */
function imageView({ mimeType, data, uri }: Extract<ContentBlock, { type: 'image' }>, number: number | undefined): AttachmentView {
  if (drawable.test(mimeType) && /^[\w+/\s]+=*\s*$/.test(data))
    return { kind: 'image', label: number === undefined ? 'Image' : `Image ${number}`, mimeType, data };
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

/** @returns a function that remembers how each part of a message ends, so that the next part continues it. Pass earlier parts first. */
export function messageViews(): (item: MessageItem, id: string) => ItemView {
  const ends = new Map<string, string>();
  const openAt = rememberedOpenBlocks();
  const continued = (before: string | undefined, rest: string): string =>
    before === undefined ? rest : openingOf(openAt(before), rest) + rest;
  return (item, id) => {
    const { role, promptId, content, startedAt: at, open } = item;
    if (role === 'user')
      return {
        kind: 'user',
        id,
        ...(promptId !== undefined && { promptId }),
        text: textOf(content),
        attachments: attachmentsOf(content),
        at,
      };
    if (role === 'thought') {
      const text = content.map(thoughtOf).join('');
      return growing({ kind: 'thought', id, text, open, startedAt: at, ...(open ? {} : { endedAt: item.updatedAt }) }, text, content);
    }
    let before = item.continues === undefined ? undefined : ends.get(item.continues);
    const parts = partsOf(content).map(({ markdown, attachments }) => {
      before = continued(before, markdown);
      return { markdown: before, attachments };
    });
    const [last = { markdown: '', attachments: [] }] = parts.splice(-1);
    if (item.messageId !== undefined) ends.set(item.id, last.markdown);
    const view: AgentItemView = { kind: 'agent', id, ...(parts.length === 0 ? {} : { earlier: parts }), ...last, open, at };
    return growing(view, last.markdown, content);
  };
}

/** Returns the texts of a prompt. */
export function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n');
}

/** Call this if `view` ends with `text`. What is put before a text may change while its first line arrives. */
function growing(view: ItemView, text: string, content: readonly ContentBlock[]): ItemView {
  const last = content.at(-1);
  if (last?.type === 'text' && last.text === text) sharesText(view, last);
  return view;
}

/** What precedes an interruption does not change, so it is read once. */
function rememberedOpenBlocks(): (text: string) => OpenBlocks {
  const known = new Map<string, OpenBlocks>();
  return (text) => {
    let open = known.get(text);
    if (open === undefined) known.set(text, (open = openBlocksOf(text)));
    return open;
  };
}

/** A text and the attachments that follow it make one part. */
function partsOf(content: readonly ContentBlock[]): readonly AgentTextView[] {
  const parts: { markdown: string; attachments: AgentTextView['attachments'] }[] = [];
  for (const block of content) {
    const last = parts.at(-1);
    if (block.type === 'text' && (last === undefined || last.attachments.length > 0)) parts.push({ markdown: block.text, attachments: [] });
    else if (last === undefined) parts.push({ markdown: '', attachments: attachmentsOf([block]) });
    else if (block.type === 'text') last.markdown += block.text;
    else last.attachments.push(...attachmentsOf([block]));
  }
  return parts;
}

/** A thought is one text. */
function thoughtOf(block: ContentBlock): string {
  return block.type === 'text'
    ? block.text
    : attachmentsOf([block])
        .map(({ label }) => `\n[${label}]\n`)
        .join('');
}
