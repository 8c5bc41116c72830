/** Some agents answer the load of a session first and tell what was said afterwards (gemini-cli 0.61). What comes before such a silence is old news. */
const silenceMs = 300;
/** An agent that does not fall silent says something new. */
const longestMs = 10_000;

/** The time between the answer to a load and the silence behind what is told again. */
export class ReplayTail {
  /** Resolves when it is over. */
  readonly over: Promise<void>;
  readonly #until = performance.now() + longestMs;
  #resolve = (): void => {};
  #timer: NodeJS.Timeout | undefined;

  /** @param onOver called once, before `over` resolves */
  constructor(onOver: () => void) {
    this.over = new Promise((resolve) => {
      this.#resolve = () => {
        onOver();
        resolve();
      };
    });
    this.heard();
  }

  /** Something was told again. */
  heard(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.end(), Math.max(0, Math.min(silenceMs, this.#until - performance.now())));
  }

  end(): void {
    clearTimeout(this.#timer);
    const resolve = this.#resolve;
    this.#resolve = () => {};
    resolve();
  }
}
