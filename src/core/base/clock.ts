/** Time as the core sees it; tests hand in their own. `now` is milliseconds since the epoch. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
