import type { HostError } from '../../base/errors.js';

/**
 * Some agents answer the load of a session first and replay the history afterwards (gemini-cli 0.61). Everything before such a silence
 * belongs to the replay.
 */
const silenceMs = 300;
/** If the agent is not silent once in this time, its messages are new. */
const longestMs = 10_000;

/** The time between the answer to a load and the silence after the replay. */
export class ReplayTail {
  /** Resolves when that time is over. Rejects if the connection ends before, because the replay is not complete then. */
  readonly over: Promise<void>;
  readonly #until = performance.now() + longestMs;
  #end: (cut?: HostError) => void = () => {};
  #timer: NodeJS.Timeout | undefined;

  /** @param onOver called once, before `over` settles */
  constructor(onOver: () => void) {
    this.over = new Promise((resolve, reject) => {
      this.#end = (cut) => {
        onOver();
        if (cut === undefined) resolve();
        else reject(cut);
      };
    });
    // There may be nothing that waits for it.
    this.over.catch(() => {});
    this.extend();
  }

  /** Call this when the agent replays something: waits for another silence. */
  extend(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#finish(), Math.max(0, Math.min(silenceMs, this.#until - performance.now())));
  }

  /** Call this when the connection has ended. */
  cut(error: HostError): void {
    this.#finish(error);
  }

  #finish(cut?: HostError): void {
    clearTimeout(this.#timer);
    const end = this.#end;
    this.#end = () => {};
    end(cut);
  }
}
