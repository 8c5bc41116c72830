/** A conversation that could not be read when it was opened. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ConversationPorts, HostError, readConversation } from '../../../src/core/index.js';
import { type FrontEnd, openFrontEnd, overCuts, run, said, say } from './frontEnd.js';

overCuts('a conversation that could not be read at first', (line) => {
  it('is read again when it continues, and is the same afterwards', async (t) => {
    let isReadable = true;
    const readSessions: ConversationPorts['readSessions'] = () =>
      isReadable ? readConversation(frontEnd.journals, 'one') : Promise.reject(new HostError('storage_failed', { reason: 'unreadable' }));
    const frontEnd: FrontEnd = await openFrontEnd(t, line, { ports: { readSessions } });
    await say(await frontEnd.open(), 'say one');
    isReadable = false;
    await frontEnd.reopen();
    const unread = await frontEnd.open();
    assert.equal(unread.state.blocker?.error.code, 'storage_failed');
    isReadable = true;
    await run(unread, { type: 'retry' });
    await say(unread, 'say two');
    const whole = ['user: say one', 'agent: one', 'end ended', 'user: say two', 'agent: two', 'end ended'];
    assert.deepEqual(said(unread.state), whole);
    await frontEnd.reopen();
    const { state } = await frontEnd.open();
    assert.deepEqual([said(state), state.earlierSessions], [whole, []]);
  });
});
