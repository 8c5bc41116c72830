import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Conversation } from '../../src/extension/conversation/conversation.js';
import { openWindow, reached, said, text } from './conversationWindow.js';

const keyOf = ({ state }: Conversation) => ({ agentId: 'obedient', sessionId: state.session?.sessionId ?? assert.fail('no session') });

describe('a conversation that the user leaves', () => {
  it('in mid-turn: the turn is stopped, what stood behind it goes back to its author, and all that was said is there on return', async (t) => {
    const window = await openWindow(t);
    const conversation = window.conversation();
    const turns = [conversation.send(text('wait')), conversation.send(text('say later'))];
    await reached(conversation, ({ session }) => session?.queue.length === 1);
    const left = keyOf(conversation);
    await conversation.newSession();
    await Promise.all(turns);
    assert.deepEqual(window.givenBack, ['say later']);
    assert.deepEqual(said(conversation.state), []);
    assert.deepEqual(conversation.state.unsent, []);
    await conversation.openEarlier(left);
    assert.deepEqual(said(conversation.state), ['user: wait', 'tool', 'end ended']);
    assert.equal(conversation.state.live, true);
    assert.equal(window.started.length, 1);
  });

  it('is not taken up again when the agent was lost; only the one on screen is', async (t) => {
    const window = await openWindow(t, { env: { OBEDIENT_UNIQUE_IDS: '1' } });
    const conversation = window.conversation();
    await conversation.send(text('say one'));
    const left = keyOf(conversation);
    await conversation.newSession();
    await conversation.send(text('say two'));
    const shown = keyOf(conversation);
    await conversation.send(text('die 1'));
    await reached(conversation, ({ status, live }) => status.state === 'ready' && live);
    const sessions = conversation.host?.sessions;
    assert.deepEqual([sessions?.get(left.sessionId)?.live ?? false, sessions?.get(shown.sessionId)?.live], [false, true]);
    await conversation.openEarlier(left);
    assert.deepEqual(said(conversation.state), ['user: say one', 'agent: one', 'end ended']);
    await conversation.send(text('say three'));
    assert.deepEqual(said(conversation.state).slice(-3), ['user: say three', 'agent: three', 'end ended']);
  });

  it('an agent that can close sessions closes it, and loads it when the user is back', async (t) => {
    const window = await openWindow(t, { env: { OBEDIENT_CAN: 'load close' } });
    const conversation = window.conversation();
    await conversation.send(text('say one'));
    const left = keyOf(conversation);
    await conversation.newSession();
    await conversation.openEarlier(left);
    await conversation.send(text('say two'));
    assert.deepEqual(
      said(conversation.state).filter((line) => !line.startsWith('notice')),
      ['user: say one', 'agent: one', 'end ended', 'user: say two', 'agent: two', 'end ended'],
    );
  });

  it('choosing the one that is on screen leaves nothing: its turn goes on', async (t) => {
    const window = await openWindow(t);
    const conversation = window.conversation();
    const turn = conversation.send(text('wait'));
    await reached(conversation, ({ session }) => session?.turn.type === 'running');
    await conversation.openEarlier(keyOf(conversation));
    assert.equal(conversation.state.session?.turn.type, 'running');
    conversation.cancel();
    await turn;
  });
});
