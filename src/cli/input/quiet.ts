import type { Disposable } from '../../core/index.js';

/** Input within this time after a question appeared was meant for something else. */
const quietMs = 400;

/** Calls back once when nothing was typed for a moment. A key that is held down repeats, so this waits until it is released. */
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
