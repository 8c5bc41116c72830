/** A press of a button is one decision: nothing is sent twice, and nothing that was sent is offered again. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ConversationClient, isSettled } from '../../../src/core/index.js';
import { openFrontEnd, overEachLine, reached, run, said, say, text } from './frontEnd.js';

const saidOnce = ({ state }: ConversationClient): number => said(state).filter((entry) => entry.startsWith('user: once')).length;

overEachLine('a turn that is sent again', (line) => {
  it('is sent once, although Resend was pressed twice', async (t) => {
    const conversation = await (await openFrontEnd(t, line, { agent: 'diesOnce' })).open();
    await say(conversation, 'first');
    await say(conversation, 'once');
    await run(conversation, { type: 'send', content: text('last'), order: 'after_held' });
    const [first, second] = await Promise.all([
      conversation.execute({ type: 'resend_interrupted' }),
      conversation.execute({ type: 'resend_interrupted' }),
    ]);
    assert.deepEqual(second, first);
    await run(conversation, { type: 'retry_now' });
    await reached(conversation, (state) => state.live && isSettled(state));
    assert.equal(saidOnce(conversation), 2);
  });

  it('is sent once, although Resend at the end of the turn was pressed twice, and can be sent again later', async (t) => {
    const conversation = await (await openFrontEnd(t, line, { agent: 'diesOnce' })).open();
    await say(conversation, 'first');
    await say(conversation, 'once');
    const end = conversation.state.session?.items.findLast((item) => item.kind === 'turn_end');
    const { turnId = '' } = end?.kind === 'turn_end' ? end : {};
    await run(conversation, { type: 'retry_turn', turnId });
    await run(conversation, { type: 'retry_turn', turnId });
    await run(conversation, { type: 'retry_now' });
    await reached(conversation, (state) => state.live && isSettled(state));
    assert.equal(saidOnce(conversation), 2);
    await run(conversation, { type: 'retry_turn', turnId });
    await reached(conversation, isSettled);
    assert.equal(saidOnce(conversation), 3);
  });
});
