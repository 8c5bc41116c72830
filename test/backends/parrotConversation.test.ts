/** A conversation with an agent of an unknown protocol: its own queue next to the outbox, and no way to resume a session. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ConversationClient, isContextBlock, isSettled } from '../../src/core/index.js';
import { heldIn, type Line, openFrontEnd, overCuts, reached, run, said, say, settled, text } from '../core/conversation/frontEnd.js';
import { parrotAgent } from './addParrot.js';

const ports = {
  peekAgent: () => Promise.resolve({ id: parrotAgent.id, label: parrotAgent.label, isFallback: false }),
  chooseAgent: () => Promise.resolve({ definition: parrotAgent, isFallback: false, baseEnv: process.env }),
};
const open = (t: Parameters<typeof openFrontEnd>[0], line: Line) => openFrontEnd(t, line, { ports });

const refused = (conversation: ConversationClient): Promise<void> =>
  reached(conversation, ({ blocker }) => blocker?.type === 'resume_refused');

overCuts('a conversation with a parrot', (line) => {
  it('it sends prompts in sequence, sets an option, answers a request, and stops', async (t) => {
    const conversation = await (await open(t, line)).open();
    await say(conversation, 'one', 'two');
    await run(conversation, { type: 'set_option', optionId: 'mood', value: 'loud' });
    await run(conversation, { type: 'send', content: text('ask') });
    await reached(conversation, ({ session }) => session?.requests.length === 1);
    const [request] = conversation.state.session?.requests ?? [];
    assert.deepEqual([request?.kind, conversation.state.status.state], ['confirm', 'waiting']);
    await run(conversation, { type: 'answer_request', requestId: request?.id ?? '', answer: { type: 'accept', values: {} } });
    await reached(conversation, isSettled);
    await run(conversation, { type: 'send', content: text('hang') });
    await reached(conversation, ({ session }) => session?.turn.type === 'running');
    await settled(conversation, { type: 'cancel', scope: 'turn' });
    assert.deepEqual(said(conversation.state), [
      'agent: Ahoy. ',
      'user: one',
      'agent: one ',
      'end ended',
      'user: two',
      'agent: two ',
      'end ended',
      'user: ask',
      'agent: Squawk! ASK ',
      'end ended',
      'user: hang',
      'end ended',
    ]);
  });

  it('a lost agent that cannot resume is reported, nothing is sent twice, and a new session gets the context', async (t) => {
    const frontEnd = await open(t, line);
    const conversation = await frontEnd.open();
    await say(conversation, 'one');
    await say(conversation, 'die', 'later');
    await refused(conversation);
    const { blocker, session, outbox } = conversation.state;
    assert.ok(blocker?.type === 'resume_refused');
    // A message that it sends before the prompt counts, too.
    assert.deepEqual([blocker.error.code, blocker.offer?.turns], ['unsupported', 3]);
    assert.equal(session?.turn.type, 'idle');
    assert.deepEqual([heldIn(conversation.state), outbox.map(({ content }) => content)], [['turn_interrupted'], [text('later')]]);
    await run(conversation, { type: 'continue_with_context', waiting: 'hold' });
    await settled(conversation, { type: 'release_held' });
    const [first] = (conversation.state.session?.items ?? []).flatMap((item) =>
      item.kind === 'message' && item.role === 'user' ? [item] : [],
    );
    assert.deepEqual(first?.content.map(isContextBlock), [true, false]);
    // It got the record as text, because it accepts nothing else.
    assert.ok(said(conversation.state).some((entry) => entry.startsWith('agent') && entry.includes('> one') && entry.endsWith('later ')));
    assert.equal(conversation.state.earlierSessions.length, 1);
  });

  it('another front end shows what was saved', async (t) => {
    const frontEnd = await open(t, line);
    await say(await frontEnd.open(), 'one');
    await frontEnd.reopen();
    const conversation = await frontEnd.open();
    assert.deepEqual(said(conversation.state), ['agent: Ahoy. ', 'user: one', 'agent: one ', 'end ended']);
    await run(conversation, { type: 'send', content: text('two') });
    await refused(conversation);
    await settled(conversation, { type: 'start_fresh', waiting: 'send' });
    assert.deepEqual(said(conversation.state), ['agent: Ahoy. ', 'user: two', 'agent: two ', 'end ended']);
  });
});
