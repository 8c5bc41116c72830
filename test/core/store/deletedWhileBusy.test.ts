/** A conversation that is deleted during a turn, while another one uses the same process of the agent. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isSettled } from '../../../src/core/index.js';
import { isWaiting, reached, run, settledTasks } from '../conversation/frontEnd.js';
import { openEngine, send } from './engineLab.js';
import { openStoreLab } from './storeLab.js';

it('it is gone, with what was queued in it', async (t) => {
  const lab = await openStoreLab(t);
  const { client, end } = await openEngine(t, lab.state, { OBEDIENT_UNIQUE_IDS: '1' });
  const other = client.open({ cwd: lab.workspace, id: 'other' });
  await run(other, send('say one'));
  await reached(other, isSettled);
  const deleted = client.open({ cwd: lab.workspace, id: 'deleted' });
  await run(deleted, send('wait'));
  await run(deleted, send('say later'));
  await reached(deleted, isWaiting);
  const result = await client.list.execute({ type: 'delete', id: 'deleted' });
  assert.ok(result.ok);
  await settledTasks();
  assert.deepEqual(
    client.list.state.conversations.map(({ id }) => id),
    ['other'],
  );
  await end();
  const later = lab.open();
  await later.load();
  assert.deepEqual([later.listed.map(({ id }) => id), later.recall('deleted')], [['other'], undefined]);
});
