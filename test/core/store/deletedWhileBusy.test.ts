/** A conversation that is deleted during a turn, while another one uses the same process of the agent. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isSettled } from '../../../src/core/index.js';
import { isWaiting, reached, run, settledTasks } from '../conversation/frontEnd.js';
import { openLibraryHost } from './libraryHost.js';
import { openStoreLab } from './storeLab.js';
import { keepAlive, send } from './twoProcesses.js';

it('it is gone, with what was queued in it', async (t) => {
  const { state, workspace } = await openStoreLab(t);
  const host = openLibraryHost({ state, workspace, program: 'editor', env: { OBEDIENT_UNIQUE_IDS: '1' } });
  keepAlive(t, host);
  await host.conversations.listFolders([workspace]);
  const other = host.open('other');
  await run(other, send('say one'));
  await reached(other, isSettled);
  const deleted = host.open('deleted');
  await run(deleted, send('wait'));
  await run(deleted, send('say later'));
  await reached(deleted, isWaiting);
  const result = await host.conversations.execute({ type: 'delete', id: 'deleted' });
  assert.ok(result.ok);
  await settledTasks();
  assert.deepEqual(
    host.conversations.state.conversations.map(({ id }) => id),
    ['other'],
  );
  assert.equal(host.store.get('deleted'), undefined);
});
