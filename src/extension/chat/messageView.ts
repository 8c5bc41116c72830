/** Maps messages for the page: texts and what is between them, in the order in which the agent sent them. */
import type { AgentItemView, AgentTextView, ItemView } from '../../contract/view.js';
import { type ContentBlock, type MessageItem, sharesText } from '../../core/index.js';
import { type OpenBlocks, openBlocksOf, openingOf } from '../../text/openMarkdown.js';
import { attachmentsOf } from './attachmentView.js';

/** @returns a function that remembers how each part of a message ends, so that the next part continues it. Pass earlier parts first. */
export function messageViews(): (item: MessageItem, id: string) => ItemView {
  const ends = new Map<string, string>();
  const openAt = rememberedOpenBlocks();
  const continued = (before: string | undefined, rest: string): string =>
    before === undefined ? rest : openingOf(openAt(before), rest) + rest;
  return (item, id) => {
    const { role, content, startedAt: at, open } = item;
    if (role === 'user') return { kind: 'user', id, text: textOf(content), attachments: attachmentsOf(content), at };
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
