/** A conversation that is closed before it was restored from disk. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isSettled } from '../../../src/core/index.js';
import { reached, run, textIn } from '../conversation/frontEnd.js';
import { openEngine, send } from './engineLab.js';
import { openStoreLab } from './storeLab.js';

it('a prompt for a conversation that is closed before it was restored is saved or refused', async (t) => {
  const lab = await openStoreLab(t);
  const { client, end } = await openEngine(t, lab.state);
  const one = { cwd: lab.workspace, id: 'one' };
  const first = client.open(one);
  await run(first, send('say one'));
  await reached(first, isSettled);
  await client.end('one');
  const sent = client.open(one).execute(send('say two'));
  await client.end('one');
  const { ok } = await sent;
  await end();
  const left =
    lab
      .open()
      .recall('one')
      ?.outbox.map(({ content }) => textIn(content)) ?? [];
  assert.deepEqual(left, ok ? ['say two'] : []);
});
