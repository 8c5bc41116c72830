/** How long a server that sent something else may take to answer. */
const strangeMs = 1_500;

/**
 * Detects a server that speaks another protocol. A single unknown message may be a greeting; a server that sends nothing else for a while
 * speaks another protocol.
 */
export class DialectWatch {
  readonly #onForeign: () => void;
  #isUnderstood = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param onForeign called at most once, and never after the server was understood */
  constructor(onForeign: () => void) {
    this.#onForeign = onForeign;
  }

  get isUnderstood(): boolean {
    return this.#isUnderstood;
  }

  understood(): void {
    this.#isUnderstood = true;
    this.stop();
  }

  strange(): void {
    if (!this.#isUnderstood) this.#timer ??= setTimeout(this.#onForeign, strangeMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
