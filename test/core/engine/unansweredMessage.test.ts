/** A message for a running turn that the agent never answers. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { heldIn, reached, run, said, text } from '../conversation/frontEnd.js';
import { openEngine, send } from '../store/engineLab.js';
import { openStoreLab } from '../store/storeLab.js';

it('it waits for the user when the turn is over, and is sent once the user says so', async (t) => {
  const lab = await openStoreLab(t);
  const { client, end } = await openEngine(t, lab.state, {}, undefined, 'steersByMethod.mjs');
  const here = client.open({ cwd: lab.workspace });
  await run(here, send('first'));
  await reached(here, (state) => said(state).includes('agent: begins first'));
  await run(here, { type: 'send', content: text('ignored'), delivery: 'steer' });
  await reached(here, ({ outbox, sending }) => outbox.length > 0 && sending === undefined);
  assert.deepEqual(heldIn(here.state), ['unanswered']);
  await run(here, { type: 'release_held', why: 'unanswered' });
  await reached(here, (state) => said(state).includes('agent: begins ignored'));
  assert.deepEqual(here.state.outbox, []);
  await run(here, { type: 'cancel', scope: 'everything' });
  await reached(here, ({ session }) => session?.turn.type === 'idle');
  await end();
});
