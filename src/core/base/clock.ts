/** The core's clock; tests pass their own. `now` is in milliseconds since the epoch. */
export interface Clock {
  now(): number;
}

/** The clock of the system. */
export const systemClock: Clock = { now: () => Date.now() };

/**
 * Reads the clock once per task of the event loop. A flood brings hundreds of messages in one chunk, and reading the clock twice for each
 * took 5 % of their time. Not suitable for deadlines, because a long task keeps the time of its first read.
 */
export function oncePerTask(clock: Clock): Clock {
  let known: number | undefined;
  const forget = (): void => void (known = undefined);
  return {
    now() {
      if (known === undefined) {
        known = clock.now();
        queueMicrotask(forget);
      }
      return known;
    },
  };
}
