/**
 * Some agents answer the load of a session first and replay the history afterwards (gemini-cli 0.61). Everything before such a silence
 * belongs to the replay.
 */
const silenceMs = 300;
/** If the agent is not silent once in this time, its messages are new. */
const longestMs = 10_000;

/** The time between the answer to a load and the silence after the replay. */
export class ReplayTail {
  /** Resolves when that time is over. */
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
    this.extend();
  }

  /** Call this when the agent replays something: waits for another silence. */
  extend(): void {
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
