import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Emitter } from '../../../src/core/base/event.js';
import { HostError } from '../../../src/core/base/errors.js';
import { withTimeout } from '../../../src/core/rpc/connection.js';
import { fakeTime } from '../base/fakeTime.js';

const timedOut = (error: unknown): boolean => error instanceof HostError && error.code === 'request_timeout';

test('a query without an answer fails at its deadline', async (t) => {
  const time = fakeTime(t);
  const gaveUp: string[] = [];
  const answer = withTimeout(new Promise(() => {}), 'initialize', { timeoutMs: 30_000 }, (reason) => gaveUp.push(reason.code));
  const rejected = assert.rejects(answer, timedOut);
  time.pass(29_500);
  assert.deepEqual(gaveUp, []);
  time.pass(500);
  await rejected;
  assert.deepEqual(gaveUp, ['request_timeout']);
});

test('a timeout that is too long for a timer counts as no timeout', async (t) => {
  t.mock.method(globalThis, 'setTimeout', () => assert.fail('a timer that would come at once'));
  for (const timeoutMs of [2 ** 31, Infinity])
    assert.equal(await withTimeout(Promise.resolve('here'), 'session/new', { timeoutMs }, () => {}), 'here');
});

test('after a sleep, a query gets its full time again and accepts an answer in that time', async (t) => {
  const time = fakeTime(t);
  let gaveUp = 0;
  let answer: (result: string) => void = () => {};
  const slow = withTimeout(new Promise<string>((resolve) => (answer = resolve)), 'session/new', { timeoutMs: 30_000 }, () => gaveUp++);
  const dead = assert.rejects(
    withTimeout(new Promise(() => {}), 'session/load', { timeoutMs: 30_000 }, () => gaveUp++),
    timedOut,
  );
  time.pass(20_000);
  time.sleep(8 * 3_600_000);
  time.pass(39_500);
  assert.equal(gaveUp, 0);
  answer('here');
  assert.equal(await slow, 'here');
  time.pass(500);
  await dead;
  assert.equal(gaveUp, 1);
});

test('while the answer waits for the user, the time stands still, and begins anew afterwards', async (t) => {
  const time = fakeTime(t);
  let gaveUp = 0;
  const onHold = new Emitter<boolean>();
  const answer = withTimeout(new Promise(() => {}), 'session/new', { timeoutMs: 30_000, onHold: onHold.event }, () => gaveUp++);
  const rejected = assert.rejects(answer, timedOut);
  time.pass(20_000);
  onHold.fire(true);
  time.pass(3_600_000);
  onHold.fire(false);
  time.pass(29_500);
  assert.equal(gaveUp, 0);
  time.pass(500);
  await rejected;
  assert.equal(gaveUp, 1);
});
