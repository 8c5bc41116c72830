/** How long a server that said something else may take to answer. */
const strangeMs = 1_500;

/** Whether a server speaks the protocol. What is none of it may be a greeting; one that says nothing else for a while speaks another one. */
export class DialectWatch {
  readonly #onForeign: () => void;
  #isUnderstood = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param onForeign called at most once, and not after the server was understood */
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
