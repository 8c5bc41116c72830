import type { SessionEvent } from './event.js';
import type { ContentBlock, MessageItem, TranscriptItem } from './model.js';

/** The messages at the end of a transcript that the next chunk may belong to. It follows from the items alone. */
export interface Growing {
  /** The positions of the messages, by `messageKey`. A tool call or the end of a turn leaves none. */
  readonly places: Map<string, number>;
  /** The positions of the last parts of messages with an id, by `partKey`. They go on below a tool call, but not in another turn. */
  readonly parts: Map<string, number>;
  /** The position of the thought that got the last chunk, unless text of the agent followed. */
  thought: number | undefined;
  /** The same of each sub-agent, by its id. What one says is in no way of another. */
  readonly ofSubagents: Map<string, Growing>;
}

const nothingGrows = (): Growing => ({ places: new Map(), parts: new Map(), thought: undefined, ofSubagents: new Map() });

/** @param subagentId undefined for the agent itself */
export function growingOf(all: Growing, subagentId: string | undefined): Growing {
  if (subagentId === undefined) return all;
  let own = all.ofSubagents.get(subagentId);
  if (own === undefined) all.ofSubagents.set(subagentId, (own = nothingGrows()));
  return own;
}

type Named = Pick<MessageItem, 'role' | 'messageId'>;

/** Who says it and the agent's id for it. Without an id, there is one message of each role at a time. */
export function messageKey({ role, messageId }: Named): string {
  return role === 'user' || messageId === undefined ? role : partKey({ role, messageId });
}

/** The same for all parts of a message with an id, also of the user. */
export function partKey({ role, messageId }: Required<Named>): string {
  return `${role}\0${messageId}`;
}

export function deriveGrowing(items: readonly TranscriptItem[]): Growing {
  const growing = nothingGrows();
  const begin = Math.max(0, items.findLastIndex(endsParts));
  for (let index = begin; index < items.length; index++) {
    const item = items[index];
    if (item !== undefined) noteAppended(growing, item, index);
  }
  for (const own of [growing, ...growing.ofSubagents.values()]) {
    for (const index of own.places.values()) {
      const item = items[index];
      if (item?.kind === 'message' && item.role === 'thought' && item.open) own.thought = index;
    }
  }
  return growing;
}

/** Call this for each item that is appended. */
export function noteAppended(growing: Growing, item: TranscriptItem, index: number): void {
  const { places, parts, ofSubagents } = growingOf(growing, 'subagentId' in item ? item.subagentId : undefined);
  if (endsMessages(item)) places.clear();
  if (endsParts(item)) {
    parts.clear();
    ofSubagents.clear();
  }
  if (item.kind !== 'message') return;
  const { role, messageId } = item;
  if (messageId !== undefined) parts.set(partKey({ role, messageId }), index);
  if (role === 'user') {
    // What the agent says afterwards may be a reply, even in the same turn.
    places.delete('agent');
    places.delete('thought');
  } else {
    places.delete('user');
  }
  if (role !== 'user' || item.open) places.set(messageKey(item), index);
}

function endsMessages(item: TranscriptItem): boolean {
  return item.kind === 'tool' || endsParts(item);
}

/** A prompt in a replay is the beginning of a turn. */
function endsParts(item: TranscriptItem): boolean {
  if (item.kind !== 'message') return item.kind === 'turn_end';
  return item.role === 'user' && item.turnId === undefined && item.subagentId === undefined;
}

/**
 * Whether a complete sentence precedes and another one begins without a space: nothing is cut, but the two would be glued together.
 * @param before at least the last four characters
 */
export function beginsSentence(before: string, block: ContentBlock): boolean {
  if (block.type !== 'text') return false;
  // First what is short: a look at the end of a text that grows copies all of it.
  return /^[#>*_`"'([]{0,6} ?\p{Lu}/u.test(block.text) && /[.!?:][*_`"')\]]{0,3}$/.test(before.slice(-4));
}

/** A message in a stream of events. It is compared by identity. */
export interface SeenMessage {
  readonly key: string;
  /** The agent gave it an id, so that it may go on after a tool call. */
  readonly isNamed: boolean;
  /** The last characters of its text. */
  tail: string;
}

/**
 * Tells which message of the agent itself a chunk belongs to, for readers of events that do not keep the transcript. Same rules as
 * `appendMessage`. What sub-agents say is in no way of it.
 */
export class MessageSeams {
  /** The messages that a chunk may be appended to, and those that may go on below a tool call. */
  readonly #growing = new Map<string, SeenMessage>();
  readonly #named = new Map<string, SeenMessage>();
  readonly #tools = new Set<string>();
  #inTurn = false;
  #thought: SeenMessage | undefined;

  /** Call this for each event. Returns the message of a chunk of the agent. */
  take(event: SessionEvent): SeenMessage | undefined {
    if ('subagentId' in event && event.subagentId !== undefined) return undefined;
    switch (event.type) {
      case 'turn_started':
        this.#inTurn = true;
        this.#end();
        return undefined;
      case 'turn_ended':
      case 'opened':
        this.#inTurn = false;
        this.#end();
        return undefined;
      case 'tool':
        if (!this.#tools.has(event.id)) this.#growing.clear();
        this.#tools.add(event.id);
        return undefined;
      case 'message':
        return this.#takeChunk(event);
      default:
        return undefined;
    }
  }

  mayGoOn(message: SeenMessage): boolean {
    return (message.isNamed ? this.#named : this.#growing).get(message.key) === message;
  }

  #takeChunk({ role, messageId, content }: Extract<SessionEvent, { type: 'message' }>): SeenMessage | undefined {
    if (role === 'user') {
      if (!this.#inTurn) this.#end();
      else for (const unnamed of ['agent', 'thought']) this.#growing.delete(unnamed);
      return undefined;
    }
    const isNamed = messageId !== undefined;
    const key = isNamed ? partKey({ role, messageId }) : role;
    const known = this.#growing.get(key);
    const text = content.type === 'text' ? content.text : undefined;
    if (known !== undefined && text === '') return known;
    const goesOn =
      role === 'thought' ? this.#thought === known : this.#thought === undefined || !beginsSentence(known?.tail ?? '', content);
    const message = (isNamed || goesOn ? known : undefined) ?? (isNamed ? this.#named.get(key) : undefined) ?? { key, isNamed, tail: '' };
    message.tail = text === undefined ? '' : (message.tail + text).slice(-4);
    this.#growing.set(key, message);
    if (isNamed) this.#named.set(key, message);
    this.#thought = role === 'thought' ? message : undefined;
    return message;
  }

  #end(): void {
    this.#growing.clear();
    this.#named.clear();
    this.#thought = undefined;
  }
}

/**
 * Knows what was appended to a text without comparing texts. Comparing an answer of several megabytes with its previous version for every
 * frame is what makes long answers slow. Only the process that appended the text knows, and only for the latest pieces; for anything older,
 * callers compare the texts.
 */

/** Enough for a caller that looks once per frame. The pieces are part of the text as well. */
const piecesKept = 512;

/** The pieces that were appended to one text. */
interface Stem {
  pieces: string[];
  /** The number of pieces that are no longer in `pieces`. */
  dropped: number;
}

interface Place {
  readonly stem: Stem;
  /** The number of pieces that the text consists of. */
  readonly end: number;
}

const places = new WeakMap<object, Place>();

/** Records that the text of `after` is the text of `before` followed by `added`. */
export function noteGrowth(before: object, after: object, added: string): void {
  const known = places.get(before);
  // Two texts may grow from the same one; only the first continues its stem.
  const grows = known !== undefined && known.end === known.stem.dropped + known.stem.pieces.length;
  const place = grows ? known : { stem: { pieces: [], dropped: 0 }, end: 0 };
  if (!grows) places.set(before, place);
  const { stem } = place;
  stem.pieces.push(added);
  const spare = stem.pieces.length - piecesKept;
  if (spare > piecesKept) {
    stem.pieces = stem.pieces.slice(spare);
    stem.dropped += spare;
  }
  places.set(after, { stem, end: place.end + 1 });
}

/** Records that `view` shows the text of `shown`. */
export function sharesText(view: object, shown: object): void {
  const place = places.get(shown);
  if (place !== undefined) places.set(view, place);
}

/** Returns what was appended to the text of `before` to get the text of `after`, or undefined if that is unknown. */
export function growthSince(before: object, after: object): string | undefined {
  const [old, grown] = [places.get(before), places.get(after)];
  if (old === undefined || grown === undefined || old.stem !== grown.stem || old.end > grown.end) return undefined;
  const { pieces, dropped } = grown.stem;
  return old.end < dropped ? undefined : pieces.slice(old.end - dropped, grown.end - dropped).join('');
}
