import type { HostError } from '../../base/errors.js';
import type { PromptResult } from '../agentBackend.js';

/** An abort before the run began is lost. */
const abortAgainAfterMs = [500, 2_000];
const stopRun = 'abort';

/** One turn, from the prompt to its end. */
export class PiTurn {
  readonly id: string;
  /** True while a command of the user is being executed. */
  isInCommand = false;
  /** True once the agent has confirmed that it stops. */
  isStopConfirmed = false;
  /** Why the turn has failed, once it is over. */
  failure: HostError | undefined;
  readonly over: Promise<PromptResult>;
  readonly #stopCommand: string;
  #resolve!: (result: PromptResult) => void;
  #reject!: (error: HostError) => void;
  #isCancelling = false;
  #timers: readonly NodeJS.Timeout[] = [];

  /** @param stopCommand stops the user's command, if it is not stopped like a run */
  constructor(id: string, stopCommand = stopRun) {
    this.id = id;
    this.#stopCommand = stopCommand;
    this.over = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get cancelling(): boolean {
    return this.#isCancelling;
  }

  /** Returns the commands that stop everything in the turn. */
  stops(isRunning: boolean): ReadonlySet<string> {
    return new Set([...(this.isInCommand ? [this.#stopCommand] : []), ...(isRunning || !this.isInCommand ? [stopRun] : [])]);
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
