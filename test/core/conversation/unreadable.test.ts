/** A conversation that could not be read when it was opened. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ConversationPorts, emptyDraft, HostError, readConversation } from '../../../src/core/index.js';
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

  it('holds no message that was sent before', async (t) => {
    let isReadable = true;
    const readSessions: ConversationPorts['readSessions'] = () =>
      isReadable ? readConversation(frontEnd.journals, 'one') : Promise.reject(new HostError('storage_failed', { reason: 'unreadable' }));
    const frontEnd: FrontEnd = await openFrontEnd(t, line, { ports: { readSessions } });
    const first = await frontEnd.open();
    await say(first, 'say one');
    const { session } = first.state;
    const sent = session?.items.find((item) => item.kind === 'message' && item.role === 'user');
    assert.ok(session !== undefined && sent?.kind === 'message' && sent.promptId !== undefined);
    isReadable = false;
    await frontEnd.reopen();
    // As an engine that was killed had saved it.
    frontEnd.remember({
      place: { agentId: 'obedient', sessionId: session.sessionId, over: undefined, withContext: false },
      outbox: [{ id: sent.promptId, content: sent.content, at: 0, held: undefined }],
      returned: [],
      draft: emptyDraft,
    });
    const unread = await frontEnd.open();
    assert.equal(unread.state.outbox.length, 1);
    isReadable = true;
    await run(unread, { type: 'retry' });
    assert.deepEqual([said(unread.state), unread.state.outbox], [['user: say one', 'agent: one', 'end ended'], []]);
  });
});
