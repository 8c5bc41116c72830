import { deriveGrowing, type Growing, messageKey, noteAppended } from './growingMessages.js';
import type { ContentBlock, TranscriptItem } from './model.js';
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

/** Belongs to one transcript: a transcript that grows from it takes it along. */
const growingOf = new WeakMap<readonly TranscriptItem[], Growing>();

/**
 * The transcript while a batch of events is applied to it. It is copied once, at the first change: copying an array of thousands of items
 * for each event would make long conversations slow. The transcript that was passed in never changes.
 */
export class ItemsDraft {
  readonly #items: readonly TranscriptItem[];
  #own: TranscriptItem[] | undefined;
  /** The positions of the current turn's tool calls by the agent's ids. Built when it is needed. */
  #toolsOfTurn: Map<string, number[]> | undefined;
  #growth: Growth | undefined;
  #begun: ContentBlock | undefined;
  #growing: Growing | undefined;

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
    if (this.#growing !== undefined) return this.#growing;
    this.#growing = growingOf.get(this.#items) ?? deriveGrowing(this.#items);
    growingOf.set(this.#items, this.#growing);
    return this.#growing;
  }

  /** @returns -1 if there is no such item */
  indexOf(id: string): number {
    const place = this.#places().get(id);
    if (place === undefined) return -1;
    return this.items[place]?.id === id ? place : this.items.findIndex((item) => item.id === id);
  }

  /** Whether there may be a part of a message; false is certain. */
  mayHave(message: Parameters<typeof messageKey>[0]): boolean {
    return this.#places().has(messageKey(message));
  }

  /** Returns the positions of the tool calls of the current turn that have this id of the agent, oldest first. */
  toolsOfTurn(toolCallId: string): readonly number[] {
    if (this.#toolsOfTurn === undefined) {
      this.#toolsOfTurn = new Map();
      const begin = this.items.findLastIndex(({ kind }) => kind === 'turn_end') + 1;
      for (let index = begin; index < this.length; index++) this.#noteTool(this.items[index], index);
    }
    return this.#toolsOfTurn.get(toolCallId) ?? [];
  }

  #noteTool(item: TranscriptItem | undefined, index: number): void {
    if (item?.kind === 'turn_end') this.#toolsOfTurn?.clear();
    if (item?.kind !== 'tool' || this.#toolsOfTurn === undefined) return;
    const same = this.#toolsOfTurn.get(item.toolCallId);
    if (same === undefined) this.#toolsOfTurn.set(item.toolCallId, [index]);
    else same.push(index);
  }

  append(item: TranscriptItem): void {
    this.#noteTool(item, this.length);
    for (const key of keysOf(item)) this.#places().set(key, this.length);
    noteAppended(this.growing, item, this.length);
    this.#write().push(item);
    if (item.kind === 'message') this.#begun = item.content.at(-1);
  }

  /** @param item must have the id of the item that it replaces */
  replace(index: number, item: TranscriptItem): void {
    this.#write()[index] = item;
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
    const places = new Map(this.#items.flatMap((item, index) => keysOf(item).map((key): [string, number] => [key, index])));
    placesOf.set(this.#items, places);
    return places;
  }

  #write(): TranscriptItem[] {
    if (this.#own !== undefined) return this.#own;
    this.#own = [...this.#items];
    placesOf.set(this.#own, this.#places());
    growingOf.set(this.#own, this.growing);
    growingOf.delete(this.#items);
    return this.#own;
  }
}

function keysOf(item: TranscriptItem): readonly string[] {
  return item.kind === 'message' && item.messageId !== undefined ? [item.id, messageKey(item)] : [item.id];
}
