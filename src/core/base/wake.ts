import { type Clock, systemClock } from './clock.js';
import { type Disposable, toDisposable } from './disposable.js';

const tickMs = 5_000;

/** A larger gap between two ticks means that the machine slept or the process was stopped. */
const gapMs = 20_000;

/**
 * Reports when the process did not run for a while, because the machine slept or the process was stopped. While it has listeners, it reads
 * the clock every five seconds.
 */
export class WakeWatch {
  readonly #clock: Clock;
  readonly #listeners = new Set<(sleptMs: number) => void>();
  #ticker: NodeJS.Timeout | undefined;
  #lastTickAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param listener gets the length of the gap in milliseconds */
  onWake(listener: (sleptMs: number) => void | Promise<void>): Disposable {
    const own = (sleptMs: number): void => void listener(sleptMs);
    this.#listeners.add(own);
    if (this.#ticker === undefined) {
      this.#lastTickAt = this.#clock.now();
      this.#ticker = setInterval(() => this.#tick(), tickMs).unref();
    }
    return toDisposable(() => {
      this.#listeners.delete(own);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#ticker);
      this.#ticker = undefined;
    });
  }

  #tick(): void {
    const now = this.#clock.now();
    const elapsedMs = now - this.#lastTickAt;
    this.#lastTickAt = now;
    if (elapsedMs < gapMs) return;
    for (const listener of [...this.#listeners]) listener(elapsedMs);
  }
}

/** The watch of this process. */
export const wakeWatch = new WakeWatch(systemClock);
