import type { SessionEvent } from './event.js';
import type { ItemsDraft } from './itemsDraft.js';
import type { ContentBlock, MessageItem } from './model.js';

type MessageEvent = Extract<SessionEvent, { type: 'message' }>;

/**
 * Appends a chunk to the message before it if that message is open, has the same role and the same `messageId`. Text after a tool call
 * begins a new message, whatever its id, because users read events in their order.
 */
export function appendMessage(draft: ItemsDraft, event: MessageEvent, turnId: string | undefined): void {
  const { last } = draft;
  if (last?.kind === 'message' && last.open && last.role === event.role && hasMessageId(last, event.messageId)) {
    return draft.replaceLast({ ...last, content: appendBlock(draft, last.content, event.content), updatedAt: event.at });
  }
  const id = event.messageId === undefined ? `m${draft.length}` : `m${draft.length}:${event.messageId}`;
  closeOpenMessage(draft);
  draft.append({
    kind: 'message',
    id,
    role: event.role,
    content: [event.content],
    turnId,
    startedAt: event.at,
    updatedAt: event.at,
    open: true,
  });
}

function hasMessageId({ id }: MessageItem, messageId: string | undefined): boolean {
  const colon = id.indexOf(':');
  if (messageId === undefined || colon < 0) return messageId === undefined && colon < 0;
  return id.length === colon + 1 + messageId.length && id.endsWith(messageId);
}

export function closeOpenMessage(draft: ItemsDraft): void {
  const { last } = draft;
  if (last?.kind === 'message' && last.open) draft.replaceLast({ ...last, open: false });
}

/** Merges adjacent plain text blocks; a block with annotations stays separate. */
function appendBlock(draft: ItemsDraft, content: readonly ContentBlock[], block: ContentBlock): readonly ContentBlock[] {
  const last = content.at(-1);
  if (last === undefined || !isPlainText(last) || !isPlainText(block)) return [...content, block];
  const grown: ContentBlock = { type: 'text', text: last.text + block.text };
  draft.noteGrowth(last, grown, block.text);
  return content.with(-1, grown);
}

export function isPlainText(block: ContentBlock): block is Extract<ContentBlock, { type: 'text' }> {
  return block.type === 'text' && block.annotations == null;
}
