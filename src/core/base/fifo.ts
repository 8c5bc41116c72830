/**
 * A queue from which any entry can be removed, at the same cost however long it is. A Set does not do: to find its first entry, it steps
 * over the places of all that were removed before.
 */
export class Fifo<T> {
  /** By consecutive numbers. */
  readonly #entries = new Map<number, T>();
  #first = 0;
  #next = 0;

  get size(): number {
    return this.#entries.size;
  }

  /** @returns the number of the entry, for `remove` */
  push(entry: T): number {
    this.#entries.set(this.#next, entry);
    return this.#next++;
  }

  remove(number: number): void {
    this.#entries.delete(number);
  }

  /** Returns the oldest entry, which stays in the queue. */
  peek(): T | undefined {
    while (this.#first < this.#next && !this.#entries.has(this.#first)) this.#first++;
    return this.#entries.get(this.#first);
  }

  /** Removes and returns the oldest entry. */
  shift(): T | undefined {
    const entry = this.peek();
    this.#entries.delete(this.#first);
    return entry;
  }

  /** Oldest first. */
  [Symbol.iterator](): IterableIterator<T> {
    return this.#entries.values();
  }
}
