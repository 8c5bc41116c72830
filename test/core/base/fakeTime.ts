import type { TestContext } from 'node:test';
import type { Clock } from '../../../src/core/base/clock.js';

/** Time that passes when a test says so. Timers and `Date` belong to the test until it ends. */
export interface FakeTime {
  readonly clock: Clock;
  /** The machine is awake: timers fire when they are due. */
  pass(ms: number): void;
  /** The machine sleeps: the clock advances, but no timer fires. A negative time sets the clock back. */
  sleep(ms: number): void;
}

export function fakeTime(t: TestContext): FakeTime {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'], now: 0 });
  let now = 1_800_000_000_000;
  t.mock.method(Date, 'now', () => now);
  return {
    clock: { now: () => now },
    pass: (ms) => {
      // In steps, so that each timer sees the time at which it is due.
      for (let left = ms; left > 0; left -= 500) {
        const step = Math.min(left, 500);
        now += step;
        t.mock.timers.tick(step);
      }
    },
    sleep: (ms) => void (now += ms),
  };
}
