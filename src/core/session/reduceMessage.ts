import type { SessionEvent } from './event.js';
import { type Growing, growingOf, ItemsDraft, messageKey, partKey } from './itemsDraft.js';
import type { ContentBlock, MessageItem } from './model.js';

type MessageEvent = Extract<SessionEvent, { type: 'message' }>;
type ToolEvent = Extract<SessionEvent, { type: 'tool' }>;

/**
 * Adds a chunk to its message. Messages are told apart by the agent's id if it has one, and otherwise by their order. Only a tool call is in
 * the way of a message: what follows it is shown below it, as a new message if there is no id. Whatever else arrives in between (thoughts,
 * other messages, notices) cuts no message. Only a thought without an id is over when something else is said.
 * @returns the position of its item
 */
export function appendMessage(draft: ItemsDraft, event: MessageEvent, turnId: string | undefined): number {
  const { role, messageId, promptId, content, at, subagentId } = event;
  const growing = growingOf(draft.growing, subagentId);
  const index = growing.places.get(messageKey(event));
  const before = index === undefined ? undefined : draft.items[index];
  if (
    index !== undefined &&
    before?.kind === 'message' &&
    before.messageId === messageId &&
    (role === 'user' ? isOpenFor(before, promptId) : before.turnId === turnId)
  ) {
    if (content.type === 'text' && content.text === '') return index;
    const goesOn =
      role === 'thought' ? growing.thought === index : growing.thought === undefined || !beginsSentence(textAtEnd(before.content), content);
    if (messageId !== undefined || goesOn) {
      noteSpoken(draft, growing, role, index);
      draft.replace(index, { ...before, content: appendBlock(draft, before.content, content), updatedAt: at, open: true });
      return index;
    }
  }
  if (index !== undefined) closeMessage(draft, index);
  if (role === 'user') closeUnended(draft, growing, turnId);
  else closeMessage(draft, growing.places.get('user'));
  const part = messageId === undefined ? undefined : growing.parts.get(partKey({ role, messageId }));
  const last = part === undefined ? undefined : draft.items[part];
  const continues = last?.kind === 'message' && last.turnId === turnId ? last.id : undefined;
  draft.append({
    kind: 'message',
    id: `m${draft.length}`,
    role,
    ...(messageId === undefined ? {} : { messageId }),
    ...(continues === undefined ? {} : { continues }),
    content: [content],
    turnId,
    ...(subagentId === undefined ? {} : { subagentId }),
    ...(promptId === undefined ? {} : { promptId }),
    startedAt: at,
    updatedAt: at,
    open: true,
  });
  noteSpoken(draft, growing, role, draft.length - 1);
  return draft.length - 1;
}

/** Whether a chunk of that prompt may continue the message of the user. */
function isOpenFor({ open, promptId }: MessageItem, ofPrompt: string | undefined): boolean {
  return open && (ofPrompt === undefined || ofPrompt === promptId);
}

/** A thought is over when something else is said. */
function noteSpoken(draft: ItemsDraft, growing: Growing, role: MessageItem['role'], index: number): void {
  if (growing.thought !== index) closeMessage(draft, growing.thought);
  growing.thought = role === 'thought' ? index : undefined;
}

/** Call this before something that ends all messages: no message grows afterwards, also of sub-agents. */
export function closeMessages(draft: ItemsDraft): void {
  const { growing } = draft;
  for (const own of [growing, ...growing.ofSubagents.values()]) closeMessagesOf(draft, own);
  growing.parts.clear();
  growing.ofSubagents.clear();
}

/** Call this before a new tool call of the agent, or of a sub-agent, which ends only the messages of the one that makes it. */
export function closeMessagesBefore(draft: ItemsDraft, { subagentId }: Pick<ToolEvent, 'subagentId'>): void {
  closeMessagesOf(draft, growingOf(draft.growing, subagentId));
}

function closeMessagesOf(draft: ItemsDraft, growing: Growing): void {
  for (const index of growing.places.values()) closeMessage(draft, index);
  growing.places.clear();
  growing.thought = undefined;
}

/** What has no id ends with a message of the user; in a replay, everything does. */
function closeUnended(draft: ItemsDraft, growing: Growing, turnId: string | undefined): void {
  if (turnId === undefined) return growing === draft.growing ? closeMessages(draft) : closeMessagesOf(draft, growing);
  const { places } = growing;
  for (const role of ['agent', 'thought']) closeMessage(draft, places.get(role));
}

function closeMessage(draft: ItemsDraft, index: number | undefined): void {
  const item = index === undefined ? undefined : draft.items[index];
  if (index !== undefined && item?.kind === 'message' && item.open) draft.replace(index, { ...item, open: false });
}

function textAtEnd(content: readonly ContentBlock[]): string {
  const last = content.at(-1);
  return last?.type === 'text' ? last.text : '';
}

/** Merges adjacent texts. */
function appendBlock(draft: ItemsDraft, content: readonly ContentBlock[], block: ContentBlock): readonly ContentBlock[] {
  const last = content.at(-1);
  if (last?.type !== 'text' || block.type !== 'text') return draft.withBlock(content, block);
  const grown: ContentBlock = { ...last, text: last.text + block.text };
  draft.noteGrowth(last, grown, block.text);
  return draft.withBlock(content, grown, content.length - 1);
}

export function isPlainText(block: ContentBlock): block is Extract<ContentBlock, { type: 'text' }> {
  return block.type === 'text' && block.annotations == null;
}

/** A message in a stream of events. It is compared by identity. */
export type SeenMessage = Pick<MessageItem, 'role' | 'messageId'>;

/** Tells which message of the agent itself a chunk belongs to, for readers of events that do not keep the transcript. */
export class MessageSeams {
  /** The messages since a turn began or ended. */
  #draft = new ItemsDraft([]);
  #turnId: string | undefined;
  /** By the ids of their items. */
  #seen = new Map<string, SeenMessage>();
  readonly #tools = new Set<string>();

  /** Call this for each event. Returns the message of a chunk of the agent. */
  take(event: SessionEvent): SeenMessage | undefined {
    if ('subagentId' in event && event.subagentId !== undefined) return undefined;
    switch (event.type) {
      case 'turn_started':
        this.#begin(event.turnId);
        return undefined;
      case 'turn_ended':
      case 'opened':
        this.#begin(undefined);
        return undefined;
      case 'tool':
        if (!this.#tools.has(event.id)) closeMessagesBefore(this.#draft, event);
        this.#tools.add(event.id);
        return undefined;
      case 'message':
        return this.#messageAt(appendMessage(this.#draft, event, this.#turnId));
      default:
        return undefined;
    }
  }

  mayGoOn(message: SeenMessage): boolean {
    const { role, messageId } = message;
    const { places, parts } = this.#draft.growing;
    const index = messageId === undefined ? places.get(role) : parts.get(partKey({ role, messageId }));
    return index !== undefined && this.#messageAt(index) === message;
  }

  #begin(turnId: string | undefined): void {
    this.#turnId = turnId;
    this.#draft = new ItemsDraft([]);
    this.#seen.clear();
  }

  #messageAt(index: number): SeenMessage | undefined {
    const item = this.#draft.items[index];
    if (item?.kind !== 'message' || item.role === 'user') return undefined;
    const message = this.#seen.get(item.id) ?? (item.continues === undefined ? undefined : this.#seen.get(item.continues)) ?? item;
    this.#seen.set(item.id, message);
    return message;
  }
}

/**
 * Whether a complete sentence precedes and another one begins without a space: nothing is cut, but the two would be glued together.
 * @param before at least the last four characters
 */
function beginsSentence(before: string, block: ContentBlock): boolean {
  if (block.type !== 'text') return false;
  // First what is short: a look at the end of a text that grows copies all of it.
  return /^[#>*_`"'([]{0,6} ?\p{Lu}/u.test(block.text) && /[.!?:][*_`"')\]]{0,3}$/.test(before.slice(-4));
}
