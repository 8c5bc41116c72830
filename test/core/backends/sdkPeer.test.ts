/** The backend with the SDK's own agent(), a peer that validates what it receives. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isEvent, launch, rejects } from './launch.js';
import { MODE_OPTION_ID } from '../../../src/core/session/sessionOption.js';
import { selectOption } from '../../../src/core/session/userRequest.js';

test('the agent() of the SDK completes a handshake, a turn, a permission, a cancel and an error', async (t) => {
  const agent = await launch(t, 'sdkAgent');
  const info = await agent.start();
  assert.deepEqual([info.name, info.version, info.protocolVersion], ['sdk-agent', '1.0.0', 1]);
  const session = await agent.newSession();

  assert.deepEqual(await agent.prompt(session, 'hello'), { stopReason: 'end_turn' });
  assert.equal(agent.text(), 'You said: hello');

  for (const [answer, status] of [
    ['yes', 'completed'],
    ['no', 'rejected'],
  ] as const) {
    const turn = agent.prompt(session, 'permission');
    (await agent.nextRequest()).answer(selectOption(answer));
    await turn;
    const last = agent.sessionEvents().findLast((event) => event.type === 'tool');
    assert.equal(last?.patch.status, status);
  }
  const cards = new Set(agent.sessionEvents().flatMap((event) => (event.type === 'tool' ? [event.id] : [])));
  assert.equal(cards.size, 2, 'the same toolCallId in two turns is two cards');

  for (const [words, answer, told] of [
    ['form', { type: 'accept', values: { name: 'Ada', size: ['S'] } }, { action: 'accept', content: { name: 'Ada', size: ['S'] } }],
    ['form', { type: 'decline' }, { action: 'decline' }],
    ['page', { type: 'accept', values: {} }, { action: 'accept' }],
    ['page', { type: 'cancel' }, { action: 'cancel' }],
  ] as const) {
    const before = agent.text().length;
    const turn = agent.prompt(session, words);
    (await agent.nextRequest()).answer(answer);
    // What waits for the browser ends with the turn.
    if (words === 'page' && answer.type === 'accept') await agent.nextRequest();
    await turn;
    assert.deepEqual(JSON.parse(agent.text().slice(before)), told);
  }

  const waiting = agent.prompt(session, 'wait');
  await agent.until(
    'waiting',
    isEvent('message', ({ content }) => content.type === 'text' && content.text === 'waiting'),
  );
  session.cancel();
  assert.deepEqual(await waiting, { stopReason: 'cancelled' });

  await rejects(session.prompt('empty', [], 'turn'), 'request_failed');
  await rejects(session.setOption(MODE_OPTION_ID, 'm'), 'request_failed');
});
