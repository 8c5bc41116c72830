import type { HostError } from '../../base/errors.js';
import type { PromptResult } from '../agentBackend.js';

/** An abort before the run began is lost. */
const abortAgainAfterMs = [500, 2_000];

/** One turn, from the prompt to its end. */
export class PiTurn {
  readonly id: string;
  /** The command that stops the turn. */
  readonly stop: string;
  readonly over: Promise<PromptResult>;
  #resolve!: (result: PromptResult) => void;
  #reject!: (error: HostError) => void;
  #isCancelling = false;
  #timers: readonly NodeJS.Timeout[] = [];

  constructor(id: string, stop: string) {
    this.id = id;
    this.stop = stop;
    this.over = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get cancelling(): boolean {
    return this.#isCancelling;
  }

  /** @param abort is called now, and again while the turn continues */
  cancel(abort: () => void): void {
    this.#isCancelling = true;
    this.clear();
    abort();
    for (const delayMs of abortAgainAfterMs) this.after(delayMs, abort);
  }

  /** Runs `act` later, unless the turn is over by then. */
  after(delayMs: number, act: () => void): void {
    this.#timers = [...this.#timers, setTimeout(act, delayMs).unref()];
  }

  end(result: PromptResult): void {
    this.clear();
    this.#resolve(result);
  }

  fail(error: HostError): void {
    this.clear();
    this.#reject(error);
  }

  /** Cancels everything that is scheduled for the turn. */
  clear(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
  }
}
