/** A conversation that is closed before it was restored from disk. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { textIn } from '../conversation/frontEnd.js';
import { openWithClosed, send } from './engineLab.js';
import { openStoreLab } from './storeLab.js';

it('a prompt for a conversation that is closed before it was restored is saved or refused', async (t) => {
  const lab = await openStoreLab(t);
  const { client, end, one } = await openWithClosed(t, lab);
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
