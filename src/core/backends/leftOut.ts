import type { Logger } from '../base/logger.js';

/** The number of distinct problems that are logged as warnings. Further ones, and repetitions, are logged at the trace level. */
const problemLimit = 50;

/** Counts messages, or parts of them, that the host doesn't understand, and logs each kind once. */
export class LeftOut {
  readonly #log: Logger;
  readonly #problems = new Set<string>();
  #count = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  get count(): number {
    return this.#count;
  }

  report(problem: string): void {
    this.#count++;
    if (this.#problems.has(problem) || this.#problems.size >= problemLimit) return this.#log.trace(`Ignored: ${problem}`);
    this.#problems.add(problem);
    this.#log.warn(`Ignored something that the agent sent: ${problem}`);
  }
}
