import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WakeWatch } from '../../../src/core/base/wake.js';
import { fakeTime } from './fakeTime.js';

test('a jump of the clock is reported once to each listener, with its length; ordinary ticks and a clock set back are not', (t) => {
  const time = fakeTime(t);
  const wake = new WakeWatch(time.clock);
  const told: string[] = [];
  const one = wake.onWake((ms) => void told.push(`one ${ms}`));
  const other = wake.onWake((ms) => void told.push(`other ${ms}`));
  time.pass(60_000);
  time.sleep(-3_600_000);
  time.pass(60_000);
  assert.equal(told.length, 0);
  time.sleep(600_000);
  time.pass(5_000);
  assert.deepEqual(told, ['one 605000', 'other 605000']);
  one.dispose();
  time.sleep(600_000);
  time.pass(60_000);
  assert.equal(told.length, 3);
  other.dispose();
  time.sleep(600_000);
  const late = wake.onWake(() => void told.push('late'));
  time.pass(60_000);
  late.dispose();
  assert.equal(told.length, 3, 'a jump before the listener was added is not reported');
});
