import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostError } from '../../../src/core/base/errors.js';
import { WakeWatch } from '../../../src/core/base/wake.js';
import { defaultRestartLimits, Supervisor } from '../../../src/core/host/supervisor.js';
import { fakeTime } from '../base/fakeTime.js';

test('when the machine wakes up, a planned restart happens at once, and only once', (t) => {
  const time = fakeTime(t);
  let restarts = 0;
  const limits = { ...defaultRestartLimits, firstDelayMs: 30_000 };
  const supervisor = new Supervisor({
    limits,
    clock: time.clock,
    random: () => 0.999,
    wake: new WakeWatch(time.clock),
    restart: () => restarts++,
  });
  const lost = {
    error: new HostError('agent_exited', { reason: 'process_ended' }),
    exit: { code: null, signal: 'SIGKILL', requested: false },
    phase: 'running',
  } as const;
  assert.equal(supervisor.ended(lost).type, 'restart');
  time.pass(10_000);
  assert.equal(restarts, 0);
  time.sleep(3_600_000);
  time.pass(5_000);
  assert.equal(restarts, 1);
  time.pass(60_000);
  time.sleep(3_600_000);
  time.pass(60_000);
  assert.equal(restarts, 1);
  supervisor.cancel();
});
