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
  for (let index = Math.max(0, items.findLastIndex(endsParts)); index < items.length; index++) {
    const item = items[index];
    if (item?.kind === 'tool') growingOf(growing, item.subagentId).places.clear();
    if (item?.kind !== 'message') continue;
    noteMessage(growing, item, index);
    if (item.role === 'thought' && item.open) growingOf(growing, item.subagentId).thought = index;
  }
  return growing;
}

/** Call this for each message that is appended. */
export function noteMessage(growing: Growing, item: MessageItem, index: number): void {
  const { role, messageId } = item;
  const { places, parts } = growingOf(growing, item.subagentId);
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
