/** A conversation that is closed while another one keeps its agent running, and opened again. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ConversationState, isSettled } from '../../../src/core/index.js';
import { isWaiting, keyOf, openFrontEnd, overCuts, reached, run, said, say, settled, text, textIn } from './frontEnd.js';

const turns = (state: ConversationState): readonly string[] => said(state).filter((entry) => !entry.startsWith('notice'));
const waiting = ({ outbox }: ConversationState): readonly string[] => outbox.map(({ content }) => textIn(content));

overCuts('a conversation that is closed', (line) => {
  it('in mid-turn: the turn is stopped, queued prompts wait for the user, and everything is shown when it is opened again', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    await run(await frontEnd.open('two'), { type: 'open' });
    const before = await frontEnd.open();
    await run(before, { type: 'send', content: text('wait') });
    await run(before, { type: 'send', content: text('say later') });
    await reached(before, isWaiting);
    const left = keyOf(before);
    await frontEnd.conversations.close('one');
    const conversation = await frontEnd.open();
    assert.deepEqual([turns(conversation.state).slice(0, 2), waiting(conversation.state)], [['user: wait', 'tool'], ['say later']]);
    await run(conversation, { type: 'open' });
    await reached(conversation, ({ session }) => session?.turn.type === 'idle');
    assert.deepEqual(turns(conversation.state), ['user: wait', 'tool', 'end ended']);
    assert.deepEqual(waiting(conversation.state), ['say later']);
    await settled(conversation, { type: 'release_held' });
    assert.deepEqual(turns(conversation.state).slice(3), ['user: say later', 'agent: later', 'end ended']);
    assert.deepEqual([keyOf(conversation), frontEnd.started.length], [left, 1]);
  });

  it('a prompt waits until the session has ended the turn from before', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const other = await frontEnd.open('two');
    await run(other, { type: 'open' });
    const before = await frontEnd.open();
    await run(before, { type: 'send', content: text('stopSlowly') });
    await reached(before, (state) => said(state).includes('agent: started'));
    await frontEnd.conversations.close('one');
    const conversation = await frontEnd.open();
    await run(conversation, { type: 'open' });
    await run(conversation, { type: 'send', content: text('say next') });
    const { session, sending } = conversation.state;
    assert.deepEqual([session?.turn.type, sending, waiting(conversation.state)], ['cancelling', undefined, ['say next']]);
    // The agent ends the turn when it gets another request.
    await say(other, 'say two');
    await reached(conversation, isSettled);
    assert.deepEqual(turns(conversation.state), [
      ...['user: stopSlowly', 'agent: started', 'end ended'],
      ...['user: say next', 'agent: next', 'end ended'],
    ]);
  });

  for (const can of ['load', 'load close'])
    it(`it goes on in the process that it shared, and after the front end was closed, with an agent that can ${can}`, async (t) => {
      const frontEnd = await openFrontEnd(t, line, { env: { OBEDIENT_CAN: can } });
      const other = await frontEnd.open('two');
      await run(other, { type: 'open' });
      await say(await frontEnd.open(), 'say one');
      await frontEnd.conversations.close('one');
      await say(other, 'say two');
      const again = await frontEnd.open();
      await say(again, 'say three');
      const expected = ['user: say one', 'agent: one', 'end ended', 'user: say three', 'agent: three', 'end ended'];
      assert.deepEqual(turns(again.state), expected);
      assert.equal(frontEnd.started.length, 1);
      await frontEnd.reopen();
      const conversation = await frontEnd.open();
      assert.deepEqual(turns(conversation.state), expected);
      await say(conversation, 'say four');
      assert.deepEqual(turns(conversation.state), [...expected, 'user: say four', 'agent: four', 'end ended']);
      assert.deepEqual(turns((await frontEnd.open('two')).state), ['user: say two', 'agent: two', 'end ended']);
    });

  it('it can be continued although the agent was lost meanwhile', async (t) => {
    const frontEnd = await openFrontEnd(t, line, { env: { OBEDIENT_UNIQUE_IDS: '1' } });
    const other = await frontEnd.open('two');
    await say(other, 'say two');
    const before = await frontEnd.open();
    await say(before, 'say one');
    const left = keyOf(before);
    await frontEnd.conversations.close('one');
    await say(other, 'die 1');
    await reached(other, ({ status, live }) => status.state === 'ready' && live);
    const conversation = await frontEnd.open();
    assert.deepEqual(turns(conversation.state), ['user: say one', 'agent: one', 'end ended']);
    await say(conversation, 'say three');
    assert.deepEqual(turns(conversation.state).slice(3), ['user: say three', 'agent: three', 'end ended']);
    assert.deepEqual(keyOf(conversation), left);
  });

  it('opened again while it is being closed, it shows what its agent still wrote', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const before = await frontEnd.open();
    await run(before, { type: 'send', content: text('finishAtEnd') });
    await reached(before, (state) => said(state).includes('agent: started'));
    const closing = frontEnd.conversations.close('one');
    const conversation = await frontEnd.open();
    await closing;
    assert.deepEqual(turns(conversation.state), ['user: finishAtEnd', 'agent: startedfinished', 'end ended']);
    await say(conversation, 'say more');
    assert.deepEqual(turns(conversation.state).slice(3), ['user: say more', 'agent: more', 'end ended']);
  });
});
