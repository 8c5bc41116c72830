import type { Logger } from '../base/logger.js';

/** Different problems told as warnings; the rest, and repetitions, are for those who trace. */
const problemLimit = 50;

/** Messages, or parts of them, that mean nothing to the host: counted, and each kind told once. */
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
    if (this.#problems.has(problem) || this.#problems.size >= problemLimit) return this.#log.trace(`Left out: ${problem}`);
    this.#problems.add(problem);
    this.#log.warn(`Something of the agent was left out: ${problem}`);
  }
}
