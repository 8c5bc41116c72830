/** A list of sessions that does not end in time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launch } from './launch.js';

test('what an agent listed before it became silent is the list', async (t) => {
  const options = { baseEnv: { ...process.env, LIST: 'slow' }, deadlines: { initializeMs: 20_000, sessionMs: 20_000, queryMs: 1_000 } };
  const agent = await launch(t, 'listsSessions', [], options);
  await agent.start();
  const saved = agent.backend.sessions.saved ?? assert.fail('no list');
  const { sessions, end } = await saved.list();
  assert.deepEqual([sessions.length, end], [3, 'slow']);
});
