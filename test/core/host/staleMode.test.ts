import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectOf } from '../../../src/core/session/sessionOption.js';
import { hostOf, resumedAfterRestart, text } from './launch.js';

test('a mode that the agent leaves with only `current_mode_update` is not restored after a restart', async (t) => {
  const host = await hostOf(t, 'leavesPlanMode', { restart: { firstDelayMs: 20, maxDelayMs: 40 } });
  const set: unknown[] = [];
  host.onTraffic((entry) => {
    if (entry.direction !== 'sent' || entry.kind !== 'message') return;
    const { method, params } = Object(entry.message);
    if (method === 'session/set_config_option' || method === 'session/set_mode') set.push(params);
  });
  let session = await host.newSession();
  const mode = (): unknown => selectOf(session.state.options, 'mode')?.currentValue;
  assert.equal(mode(), 'plan');
  await session.prompt(text('plan it'));
  assert.deepEqual([session.state.options.length, mode()], [1, 'code']);
  const resumed = resumedAfterRestart(host, session);
  await session.prompt(text('die'));
  session = await resumed;
  assert.deepEqual(set, [{ sessionId: 's1', configId: 'permissions', value: 'code' }], 'the new process begins in its plan mode');
  assert.equal(mode(), 'code');
  await session.prompt(text('which?'));
  assert.equal(JSON.stringify(session.state.items.at(-2)).includes('code'), true);
});
