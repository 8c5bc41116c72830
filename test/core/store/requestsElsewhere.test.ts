/** Requests of an agent in one process while another one shows the conversation. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { selectOption } from '../../../src/core/index.js';
import { reached, run, said } from '../conversation/frontEnd.js';
import { openTwo, send } from './twoProcesses.js';

it('an answer to a request of another process never reaches a later request here', async (t) => {
  const { client, begin } = await openTwo(t);
  const other = begin();
  other.execute(send('ask'));
  const [there] = (await other.until(({ requests }) => requests.length > 0)).requests;
  await reached(client, ({ session }) => session?.requests.length === 1);
  assert.equal(client.state.session?.requests[0]?.id, there);
  const answer = { type: 'answer_request', requestId: there ?? '', answer: selectOption('yes') } as const;
  assert.equal((await client.execute(answer)).ok, false);
  await run(client, { type: 'continue_here', stopsTurn: true });
  await run(client, send('ask'));
  await reached(client, ({ session, live }) => live && session?.requests.length === 1);
  const here = client.state.session?.requests[0]?.id;
  assert.notEqual(here, there);
  assert.equal((await client.execute(answer)).ok, false);
  assert.equal(client.state.session?.requests[0]?.id, here);
  await run(client, { type: 'answer_request', requestId: here ?? '', answer: selectOption('no') });
  await reached(client, (state) => said(state).at(-1) === 'end ended');
  assert.equal(said(client.state).at(-2), 'agent: no');
});
