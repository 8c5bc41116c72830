import type { Disposable } from '../../core/index.js';

/** One frame of a screen. */
const frameMs = 16;

/**
 * Decides when pages are told of changes: at the end of the frame in which the first one came, and so at most once per frame. The only place
 * on the way from a conversation to its pages that waits.
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
