/** Time as the core sees it; tests hand in their own. `now` is milliseconds since the epoch. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/**
 * Reads the time once for all that happens in one task of the event loop: a flood brings hundreds of messages in one chunk, and looking at the clock
 * twice for each was 5 % of what they cost. Not for deadlines, as a long task stays at the time of its first look.
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
