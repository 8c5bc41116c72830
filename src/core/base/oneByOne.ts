/** Runs works one after another, also after one that failed. */
export class OneByOne {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  /** @throws what the work throws */
  run<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting++;
    const done = this.#last.then(work).finally(() => void this.#waiting--);
    // Without the result, which may be large.
    this.#last = done.then(
      () => {},
      () => {},
    );
    return done;
  }

  /** Nothing runs or waits. */
  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  /** Resolves when all works so far are over, and before a later one begins. Never rejects. */
  settled(): Promise<void> {
    return this.#last;
  }
}
