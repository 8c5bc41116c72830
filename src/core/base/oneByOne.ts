/** Runs works one after another, also after one that failed. */
export class OneByOne {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** @throws what the work throws */
  run<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting++;
    const done = this.#last.then(work).finally(() => void this.#waiting--);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Nothing runs or waits. */
  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  /** Resolves when all works so far are over. Never rejects. */
  async settled(): Promise<void> {
    await this.#last;
  }
}
