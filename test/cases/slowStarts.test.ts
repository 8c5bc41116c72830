/** An agent may need minutes for its first start, and its launcher shows on stderr that it works. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExitCode } from '../../src/cli/output/exitCode.js';
import { HostError } from '../../src/core/base/errors.js';
import { Emitter } from '../../src/core/base/event.js';
import { withTimeout } from '../../src/core/rpc/connection.js';
import { makePlace, testAgent } from '../cli/cliProcess.js';
import { runHere } from '../cli/runHere.js';

test('--start-timeout limits the start, and the error names it', async (t) => {
  const place = await makePlace();
  t.after(() => place.remove());
  const { code, stderr } = await runHere(place, ['run', ...testAgent('neverInitializes'), '--start-timeout', '0.3', 'hi']);
  assert.equal(code, ExitCode.notStarted, stderr);
  assert.match(stderr, /in time/);
  assert.match(stderr, /--start-timeout/);
});

test('--start-timeout takes a number of seconds, and 0 is no limit', async (t) => {
  const place = await makePlace();
  t.after(() => place.remove());
  assert.equal((await runHere(place, ['run', ...testAgent('obedient'), '--start-timeout', 'soon', 'hi'])).code, ExitCode.usage);
  assert.equal((await runHere(place, ['run', '--agent', 'demo', '--start-timeout', '0', 'list'])).code, ExitCode.ended);
});

test('progress begins the time anew, but not for ever', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const progress = new Emitter<void>();
  const isOver = async (answer: Promise<unknown>): Promise<boolean> => {
    let over = false;
    void answer.catch((error: unknown) => (over = error instanceof HostError && error.code === 'request_timeout'));
    for (let task = 0; task < 5; task++) await Promise.resolve();
    return over;
  };
  const wait = (): Promise<never> =>
    withTimeout(new Promise<never>(() => {}), 'initialize', { timeoutMs: 1000, onProgress: progress.event }, () => {});

  const quiet = wait();
  t.mock.timers.tick(999);
  assert.equal(await isOver(quiet), false);
  progress.fire();
  t.mock.timers.tick(999);
  assert.equal(await isOver(quiet), false);
  t.mock.timers.tick(1);
  assert.equal(await isOver(quiet), true);

  const endless = wait();
  for (let passed = 0; passed < 9500; passed += 500) {
    assert.equal(await isOver(endless), false, `${passed} ms`);
    progress.fire();
    t.mock.timers.tick(500);
  }
  assert.equal(await isOver(endless), true);
});
