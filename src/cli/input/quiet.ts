import type { Disposable } from '../../core/index.js';

/** What a hand does in this time after a question appeared, it began before. */
const quietMs = 400;

/** Calls back once, when nothing was typed for a moment. A key that is held down repeats, so it is waited for until it is released. */
export class Quiet implements Disposable {
  readonly #onQuiet: () => void;
  #timer: NodeJS.Timeout;

  constructor(onQuiet: () => void) {
    this.#onQuiet = onQuiet;
    this.#timer = setTimeout(onQuiet, quietMs);
  }

  typed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onQuiet, quietMs);
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }
}
