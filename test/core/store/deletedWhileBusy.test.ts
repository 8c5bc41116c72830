/** A conversation that is deleted while something happens in it. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isSettled } from '../../../src/core/index.js';
import { isWaiting, reached, run, settledTasks } from '../conversation/frontEnd.js';
import { openEngine, openWithClosed, send } from './engineLab.js';
import { openStoreLab } from './storeLab.js';

it('during a turn, while another one uses the same process of the agent, it is gone, with what was queued in it', async (t) => {
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

it('before it was restored, it does not come back because of a message that was sent to it', async (t) => {
  const lab = await openStoreLab(t);
  const { client, end, one } = await openWithClosed(t, lab);
  const sent = client.open(one).execute(send('say two'));
  const deleted = client.list.execute({ type: 'delete', id: 'one' });
  await Promise.all([sent, deleted]);
  assert.deepEqual(client.list.state.conversations, []);
  await end();
  const later = lab.open();
  await later.load();
  assert.deepEqual(later.listed, []);
});

it('a front end that shows it is told at once', async (t) => {
  const lab = await openStoreLab(t);
  const { client, attach } = await openEngine(t, lab.state);
  const conversation = client.open({ cwd: lab.workspace, id: 'one' });
  await run(conversation, send('wait'));
  await reached(conversation, isWaiting);
  const other = await attach();
  const told: string[] = [];
  client.onClosed((id) => told.push(id));
  const deleting = other.list.execute({ type: 'delete', id: 'one' });
  await settledTasks();
  assert.deepEqual(told, ['one']);
  await deleting;
});
