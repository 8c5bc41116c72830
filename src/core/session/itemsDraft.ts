import type { TranscriptItem } from './model.js';

/** What changes is nearly always among the last. */
const NEAR_THE_END = 50;

/**
 * The transcript while a batch of events is applied to it. Copied once, at the first change: an array of thousands, copied per event,
 * is what makes a long conversation slow. Whoever holds the transcript from before keeps it as it was.
 */
export class ItemsDraft {
  readonly #items: readonly TranscriptItem[];
  #own: TranscriptItem[] | undefined;
  /** Made when it is first needed; a batch that changes only what is near the end does without. */
  #places: Map<string, number> | undefined;

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
    const { items } = this;
    for (let index = items.length - 1, nearest = Math.max(0, items.length - NEAR_THE_END); index >= nearest; index--) if (items[index]?.id === id) return index;
    this.#places ??= new Map(items.map((item, index) => [item.id, index]));
    return this.#places.get(id) ?? -1;
  }

  append(item: TranscriptItem): void {
    this.#places?.set(item.id, this.length);
    this.#write().push(item);
  }

  /** @param item has the id of the one that was there */
  replace(index: number, item: TranscriptItem): void {
    this.#write()[index] = item;
  }

  replaceLast(item: TranscriptItem): void {
    this.replace(this.length - 1, item);
  }

  #write(): TranscriptItem[] {
    return (this.#own ??= [...this.#items]);
  }
}
