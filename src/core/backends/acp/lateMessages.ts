import type { HostError } from '../../base/errors.js';

export interface Silence {
  /** What the agent sends before such a silence belongs to what it has answered. */
  readonly silenceMs: number;
  /** If the agent is not silent once in this time, its messages are new. */
  readonly longestMs: number;
}

/** Some agents answer the load of a session first and replay the history afterwards (gemini-cli 0.61). */
export const afterLoad: Silence = { silenceMs: 300, longestMs: 10_000 };
/** Some agents answer a prompt first and send the last words of the answer afterwards (opencode 1.1). */
export const afterPrompt: Silence = { silenceMs: 200, longestMs: 2_000 };

/** The time between an answer of the agent and the silence after it. */
export class LateMessages {
  /** Resolves when that time is over. Rejects if the connection ends before. */
  readonly over: Promise<void>;
  readonly #silenceMs: number;
  readonly #until: number;
  #end: (cut?: HostError) => void = () => {};
  #timer: NodeJS.Timeout | undefined;

  /** @param onOver called once, before `over` settles */
  constructor({ silenceMs, longestMs }: Silence, onOver: () => void) {
    this.#silenceMs = silenceMs;
    this.#until = performance.now() + longestMs;
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

  /** Call this when the agent sends something: waits for another silence. */
  extend(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#finish(), Math.max(0, Math.min(this.#silenceMs, this.#until - performance.now())));
  }

  /** Waits no longer. */
  end(): void {
    this.#finish();
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
