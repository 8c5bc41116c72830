import type { Disposable } from '../../core/index.js';

/** One frame of a screen. */
const frameMs = 16;

/**
 * Decides when pages learn of changes: at the end of the frame with the first change, and so at most once per frame. It is the only place
 * between a conversation and its pages that waits.
 */
export class Pacer implements Disposable {
  readonly #onFrame: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(onFrame: () => void) {
    this.#onFrame = onFrame;
  }

  request(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#onFrame();
    }, frameMs);
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }
}
