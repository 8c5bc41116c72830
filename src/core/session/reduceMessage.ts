import type { SessionEvent } from './event.js';
import type { ContentBlock, MessageItem, TranscriptItem } from './model.js';

type MessageEvent = Extract<SessionEvent, { type: 'message' }>;

/**
 * A chunk continues the message before it if that one is still open, of the same role, and neither names another `messageId`.
 * Text that comes after a tool call is a message of its own, whatever its id: people read in the order of events.
 */
export function appendMessage(items: readonly TranscriptItem[], event: MessageEvent, turnId: string | undefined): readonly TranscriptItem[] {
  const last = items.at(-1);
  if (last?.kind === 'message' && last.open && last.role === event.role && messageIdOf(last) === event.messageId) {
    return items.with(-1, { ...last, content: appendBlock(last.content, event.content), updatedAt: event.at });
  }
  const id = event.messageId === undefined ? `m${items.length}` : `m${items.length}:${event.messageId}`;
  const message: MessageItem = { kind: 'message', id, role: event.role, content: [event.content], turnId, startedAt: event.at, updatedAt: event.at, open: true };
  return [...closeOpenMessage(items), message];
}

function messageIdOf(item: MessageItem): string | undefined {
  const colon = item.id.indexOf(':');
  return colon < 0 ? undefined : item.id.slice(colon + 1);
}

export function closeOpenMessage(items: readonly TranscriptItem[]): readonly TranscriptItem[] {
  const last = items.at(-1);
  return last?.kind === 'message' && last.open ? items.with(-1, { ...last, open: false }) : items;
}

/** Neighbouring plain text blocks become one; a block with annotations keeps its own place. */
export function appendBlock(content: readonly ContentBlock[], block: ContentBlock): readonly ContentBlock[] {
  const last = content.at(-1);
  if (last === undefined || !isPlainText(last) || !isPlainText(block)) return [...content, block];
  return content.with(-1, { type: 'text', text: last.text + block.text });
}

export function isPlainText(block: ContentBlock): block is Extract<ContentBlock, { type: 'text' }> {
  return block.type === 'text' && block.annotations == null;
}
