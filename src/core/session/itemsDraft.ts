import { type ContentBlock, isFinal, type MessageItem, type TranscriptItem } from './model.js';
import { noteGrowth } from './textGrowth.js';

/** A text that grew in this batch, possibly several times. */
interface Growth {
  /** Undefined if the text began in this batch, so that it was not shown yet. */
  readonly before: ContentBlock | undefined;
  after: ContentBlock;
  readonly added: string[];
}

/**
 * Maps the ids of items to their positions, and is handed on from each transcript to the next. Transcripts that grew from the same one
 * share the map, so it may contain an item of another one: check each position before you use it. An id that is not in the map is in none
 * of these transcripts.
 */
const placesOf = new WeakMap<readonly TranscriptItem[], Map<string, number>>();

/** What may change at the end of a transcript. */
interface Ending {
  readonly growing: Growing;
  readonly tools: TurnTools;
}

/** Belongs to one transcript: a transcript that grows from it takes it along. */
const endingOf = new WeakMap<readonly TranscriptItem[], Ending>();

/**
 * The transcript while a batch of events is applied to it. It is copied once, at the first change: copying an array of thousands of items
 * for each event would make long conversations slow. The transcript that was passed in never changes.
 */
export class ItemsDraft {
  readonly #items: readonly TranscriptItem[];
  #own: TranscriptItem[] | undefined;
  #growth: Growth | undefined;
  #begun: ContentBlock | undefined;
  #ending: Ending | undefined;
  /** The lists of blocks that this batch has made, so that it may change them. */
  readonly #ownBlocks = new Map<readonly ContentBlock[], ContentBlock[]>();

  constructor(items: readonly TranscriptItem[]) {
    this.#items = items;
  }

  /**
   * The current items. Don't keep the array while the batch is being applied. It is the array that was passed in until something changes.
   */
  get items(): readonly TranscriptItem[] {
    return this.#own ?? this.#items;
  }

  get length(): number {
    return this.items.length;
  }

  /** The messages that the next chunk may belong to. */
  get growing(): Growing {
    return this.#endingNow().growing;
  }

  /** The tool calls of the current turn that are not over. */
  get tools(): TurnTools {
    return this.#endingNow().tools;
  }

  /** @returns -1 if there is no such item */
  indexOf(id: string): number {
    const place = this.#places().get(id);
    if (place === undefined) return -1;
    return this.items[place]?.id === id ? place : this.items.findIndex((item) => item.id === id);
  }

  append(item: TranscriptItem): void {
    this.#places().set(item.id, this.length);
    this.tools.note(item, this.length);
    if (item.kind === 'message') {
      noteMessage(this.growing, item, this.length);
      this.#begun = item.content.at(-1);
    }
    this.#write().push(item);
  }

  /** @param item must have the id of the item that it replaces */
  replace(index: number, item: TranscriptItem): void {
    this.tools.note(item, index);
    this.#write()[index] = item;
  }

  /**
   * Returns the blocks with this one at the position, which is the end if it is absent. They are copied once per batch: a message may have
   * thousands.
   */
  withBlock(blocks: readonly ContentBlock[], block: ContentBlock, index = blocks.length): readonly ContentBlock[] {
    let own = this.#ownBlocks.get(blocks);
    if (own === undefined) this.#ownBlocks.set((own = [...blocks]), own);
    own[index] = block;
    return own;
  }

  /** Records that the text of `after` is the text of `before` followed by `added`. */
  noteGrowth(before: ContentBlock, after: ContentBlock, added: string): void {
    if (this.#growth?.after === before) {
      this.#growth.after = after;
      if (this.#growth.before !== undefined) this.#growth.added.push(added);
    } else {
      this.end();
      this.#growth = { before: before === this.#begun ? undefined : before, after, added: [added] };
    }
  }

  /** Call this at the end of the batch. The states of a text in between are never shown. */
  end(): void {
    if (this.#growth === undefined) return;
    const { before, after, added } = this.#growth;
    this.#growth = undefined;
    if (before !== undefined) noteGrowth(before, after, added.join(''));
  }

  #places(): Map<string, number> {
    const known = placesOf.get(this.#items);
    if (known !== undefined) return known;
    const places = new Map(this.#items.map(({ id }, index) => [id, index]));
    placesOf.set(this.#items, places);
    return places;
  }

  #write(): TranscriptItem[] {
    if (this.#own !== undefined) return this.#own;
    this.#own = [...this.#items];
    placesOf.set(this.#own, this.#places());
    endingOf.set(this.#own, this.#endingNow());
    endingOf.delete(this.#items);
    return this.#own;
  }

  #endingNow(): Ending {
    if (this.#ending !== undefined) return this.#ending;
    this.#ending = endingOf.get(this.#items) ?? { growing: deriveGrowing(this.#items), tools: new TurnTools(this.#items) };
    endingOf.set(this.#items, this.#ending);
    return this.#ending;
  }
}

/**
 * The positions of those tool calls of the current turn that are not over, so that nobody searches for them among thousands of others. It
 * follows from the items alone.
 */
class TurnTools {
  #begin = 0;
  readonly #open = new Set<number>();
  readonly #waiting = new Set<number>();

  constructor(items: readonly TranscriptItem[]) {
    this.#begin = items.findLastIndex(({ kind }) => kind === 'turn_end') + 1;
    for (let index = this.#begin; index < items.length; index++) this.note(items[index], index);
  }

  get open(): ReadonlySet<number> {
    return this.#open;
  }

  /** Those that wait for the user, also if they have ended meanwhile. */
  get waiting(): ReadonlySet<number> {
    return this.#waiting;
  }

  /** Call this for each item that is appended or replaced. */
  note(item: TranscriptItem | undefined, index: number): void {
    if (item?.kind === 'turn_end') this.#clear(index + 1);
    if (item?.kind !== 'tool' || index < this.#begin) return;
    if (item.waitsSince === undefined) this.#waiting.delete(index);
    else this.#waiting.add(index);
    if (isFinal(item.status)) this.#open.delete(index);
    else this.#open.add(index);
  }

  #clear(begin: number): void {
    this.#begin = begin;
    this.#open.clear();
    this.#waiting.clear();
  }
}

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

function deriveGrowing(items: readonly TranscriptItem[]): Growing {
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
function noteMessage(growing: Growing, item: MessageItem, index: number): void {
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
