import { type Clock, systemClock } from './clock.js';
import { type Disposable, toDisposable } from './disposable.js';

const tickMs = 5_000;

/** A tick that comes later than this after the one before it did not come late: the machine slept, or the process stood still. */
const gapMs = 20_000;

/** Tells when time went on without us: the machine slept, or the process was stopped. Costs a look at the clock every five seconds while anybody listens. */
export class WakeWatch {
  readonly #clock: Clock;
  readonly #listeners = new Set<(sleptMs: number) => void>();
  #ticker: NodeJS.Timeout | undefined;
  #lastTickAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param listener gets for how long, in milliseconds */
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

/** Of this process. */
export const wakeWatch = new WakeWatch(systemClock);
