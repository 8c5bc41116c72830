import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isWaiting, keyOf, openFrontEnd, overEachLine, reached, returnedIn, run, said, say, settled, text } from './frontEnd.js';

overEachLine('a session that the user leaves', (line) => {
  it('during a turn: the turn is stopped, queued prompts are returned to the composer, and everything is shown when the user comes back', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const conversation = await frontEnd.open();
    await run(conversation, { type: 'send', content: text('wait') });
    await run(conversation, { type: 'send', content: text('say later') });
    await reached(conversation, isWaiting);
    const left = keyOf(conversation);
    await run(conversation, { type: 'new_session' });
    assert.deepEqual(returnedIn(conversation.state), ['say later']);
    assert.deepEqual([said(conversation.state), conversation.state.outbox], [[], []]);
    await run(conversation, { type: 'open_earlier', key: left });
    await reached(conversation, ({ session }) => session?.turn.type === 'idle');
    assert.deepEqual(said(conversation.state), ['user: wait', 'tool', 'end ended']);
    assert.equal(conversation.state.live, true);
    assert.equal(frontEnd.started.length, 1);
  });

  it('it is not resumed when the agent was lost, unlike the one on screen', async (t) => {
    const frontEnd = await openFrontEnd(t, line, { env: { OBEDIENT_UNIQUE_IDS: '1' } });
    const conversation = await frontEnd.open();
    await say(conversation, 'say one');
    const left = keyOf(conversation);
    await run(conversation, { type: 'new_session' });
    await say(conversation, 'say two');
    const shown = keyOf(conversation);
    await say(conversation, 'die 1');
    await reached(conversation, ({ status, live }) => status.state === 'ready' && live);
    assert.deepEqual(keyOf(conversation), shown);
    await run(conversation, { type: 'open_earlier', key: left });
    assert.equal(conversation.state.live, false);
    assert.deepEqual(said(conversation.state), ['user: say one', 'agent: one', 'end ended']);
    await say(conversation, 'say three');
    assert.deepEqual(said(conversation.state).slice(-3), ['user: say three', 'agent: three', 'end ended']);
  });

  it('an agent that can close sessions closes it, and loads it when the user comes back', async (t) => {
    const conversation = await (await openFrontEnd(t, line, { env: { OBEDIENT_CAN: 'load close' } })).open();
    await say(conversation, 'say one');
    const left = keyOf(conversation);
    await run(conversation, { type: 'new_session' });
    await run(conversation, { type: 'open_earlier', key: left });
    await say(conversation, 'say two');
    assert.deepEqual(
      said(conversation.state).filter((entry) => !entry.startsWith('notice')),
      ['user: say one', 'agent: one', 'end ended', 'user: say two', 'agent: two', 'end ended'],
    );
  });

  it('choosing the current session again does not leave it, and its turn continues', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open();
    await run(conversation, { type: 'send', content: text('wait') });
    await reached(conversation, isWaiting);
    await run(conversation, { type: 'open_earlier', key: keyOf(conversation) });
    assert.equal(conversation.state.session?.turn.type, 'running');
    await settled(conversation, { type: 'cancel', scope: 'everything' });
  });
});
