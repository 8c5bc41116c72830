import type { ContentBlock, TranscriptItem } from './model.js';
import { noteGrowth } from './textGrowth.js';

/** A text that grew in this batch, several times perhaps. */
interface Growth {
  /** Absent where it is of this batch too, so that nobody has seen it. */
  readonly before: ContentBlock | undefined;
  after: ContentBlock;
  readonly added: string[];
}

/**
 * Where the items of a transcript are, handed on from each transcript to the next one. Transcripts that grew from the same one share it, so it may
 * name an item that a sibling has: what it says is looked at before it is believed. What it does not name is in none of them.
 */
const placesOf = new WeakMap<readonly TranscriptItem[], Map<string, number>>();

/**
 * The transcript while a batch of events is applied to it. Copied once, at the first change: an array of thousands, copied per event,
 * is what makes a long conversation slow. Whoever holds the transcript from before keeps it as it was.
 */
export class ItemsDraft {
  readonly #items: readonly TranscriptItem[];
  #own: TranscriptItem[] | undefined;
  #growth: Growth | undefined;
  #begun: ContentBlock | undefined;

  constructor(items: readonly TranscriptItem[]) {
    this.#items = items;
  }

  /** As it is now; not to be kept while the batch goes on. The very array that was given, as long as nothing changed. */
  get items(): readonly TranscriptItem[] {
    return this.#own ?? this.#items;
  }

  get length(): number {
    return this.items.length;
  }

  get last(): TranscriptItem | undefined {
    return this.items.at(-1);
  }

  /** @returns -1 where there is no such item */
  indexOf(id: string): number {
    const place = this.#places().get(id);
    if (place === undefined) return -1;
    return this.items[place]?.id === id ? place : this.items.findIndex((item) => item.id === id);
  }

  append(item: TranscriptItem): void {
    this.#places().set(item.id, this.length);
    this.#write().push(item);
    if (item.kind === 'message') this.#begun = item.content.at(-1);
  }

  /** @param item has the id of the one that was there */
  replace(index: number, item: TranscriptItem): void {
    this.#write()[index] = item;
  }

  replaceLast(item: TranscriptItem): void {
    this.replace(this.length - 1, item);
  }

  /** Says that the text of `after` is that of `before` with `added` at its end. */
  noteGrowth(before: ContentBlock, after: ContentBlock, added: string): void {
    if (this.#growth?.after === before) {
      this.#growth.after = after;
      this.#growth.added.push(added);
    } else {
      this.end();
      this.#growth = { before: before === this.#begun ? undefined : before, after, added: [added] };
    }
  }

  /** To be called when the batch is over. What a text was in the middle of it nobody has seen. */
  end(): void {
    if (this.#growth === undefined) return;
    const { before, after, added } = this.#growth;
    this.#growth = undefined;
    if (before !== undefined) noteGrowth(before, after, added.join(''));
  }

  #places(): Map<string, number> {
    const known = placesOf.get(this.#items);
    if (known !== undefined) return known;
    const places = new Map(this.#items.map((item, index) => [item.id, index]));
    placesOf.set(this.#items, places);
    return places;
  }

  #write(): TranscriptItem[] {
    if (this.#own !== undefined) return this.#own;
    this.#own = [...this.#items];
    placesOf.set(this.#own, this.#places());
    return this.#own;
  }
}
