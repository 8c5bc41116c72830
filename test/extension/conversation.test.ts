import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { selectOf } from '../../src/core/index.js';
import { forgetful, openWindow, reached, said, text } from './conversationWindow.js';

describe('starting', () => {
  it('looking at a conversation starts nothing', async (t) => {
    const window = await openWindow(t);
    const conversation = window.conversation();
    await conversation.restore();
    assert.deepEqual(window.started, []);
    assert.equal(conversation.state.agent?.label, 'Obedient');
  });

  it('messages sent while the agent starts are answered in order by one process', async (t) => {
    const window = await openWindow(t);
    const conversation = window.conversation();
    await Promise.all([conversation.send(text('say one')), conversation.send(text('say two'))]);
    assert.deepEqual(said(conversation.state), ['user: say one', 'agent: one', 'end ended', 'user: say two', 'agent: two', 'end ended']);
    assert.equal(window.started.length, 1);
  });

  it('a workspace that is not trusted starts nothing and loses nothing', async (t) => {
    const window = await openWindow(t, { trusted: false });
    const conversation = window.conversation();
    await conversation.send(text('say hi'));
    assert.deepEqual(window.started, []);
    assert.equal(conversation.state.blocker?.error.code, 'untrusted');
    assert.equal(conversation.state.unsent.length, 1);
  });

  it('new sessions begin in the mode that the user wants', async (t) => {
    const conversation = (await openWindow(t, { defaultMode: 'free' })).conversation();
    const session = await conversation.open();
    assert.equal(selectOf(session?.state.options ?? [], 'mode')?.currentValue, 'free');
  });

  it('stopping the start gives the message back', async (t) => {
    const window = await openWindow(t);
    const conversation = window.conversation();
    const sent = conversation.send(text('say hi'));
    await reached(conversation, ({ connectingSince }) => connectingSince !== undefined);
    conversation.cancel();
    await sent;
    assert.deepEqual(window.givenBack, ['say hi']);
    assert.equal(conversation.state.blocker, undefined);
  });
});

describe('signing in', () => {
  it('the message that needed it goes on afterwards', async (t) => {
    const conversation = (await openWindow(t, { env: { OBEDIENT_SIGNED_OUT: '1' } })).conversation();
    await conversation.send(text('say hi'));
    assert.equal(conversation.state.blocker?.type, 'sign_in');
    assert.equal(conversation.state.unsent.length, 1);
    await conversation.host?.authenticate('in');
    await conversation.sendUnsent();
    assert.deepEqual(said(conversation.state), ['user: say hi', 'agent: hi', 'end ended']);
    assert.equal(conversation.state.blocker, undefined);
  });
});

describe('an agent that dies', () => {
  it('leaves what it said, and a restart takes the conversation up', async (t) => {
    const conversation = (await openWindow(t)).conversation();
    await conversation.send(text('die 3'));
    const before = said(conversation.state);
    assert.deepEqual(before, ['user: die 3', 'agent: half', 'end interrupted']);
    assert.equal(conversation.state.live, false);
    await conversation.restart();
    assert.equal(conversation.state.live, true);
    assert.deepEqual(said(conversation.state), before);
    await conversation.send(text('say back'));
    assert.deepEqual(said(conversation.state).slice(before.length), ['user: say back', 'agent: back', 'end ended']);
  });

  it('keeps the messages that waited for the turn', async (t) => {
    const conversation = (await openWindow(t)).conversation();
    await Promise.all([conversation.send(text('die 3')), conversation.send(text('say later'))]);
    await conversation.restart();
    assert.deepEqual(
      conversation.state.unsent.map(({ held }) => held),
      ['turn_cut'],
    );
    await conversation.sendHeld();
    assert.equal(said(conversation.state).at(-2), 'agent: later');
  });
});

describe('a reload of the window', () => {
  it('shows what was said before any agent runs, and takes it up with the next message', async (t) => {
    const window = await openWindow(t);
    const first = window.conversation();
    await first.send(text('say one'));
    await first.end();
    const second = window.conversation();
    await second.restore();
    assert.deepEqual(said(second.state), ['user: say one', 'agent: one', 'end ended']);
    assert.equal(window.started.length, 1);
    await second.send(text('say two'));
    assert.deepEqual(said(second.state), ['user: say one', 'agent: one', 'end ended', 'user: say two', 'agent: two', 'end ended']);
  });

  it('an agent that does not remember is told apart from a new session, which only the user begins', async (t) => {
    const window = await openWindow(t, { env: forgetful });
    const first = window.conversation();
    await first.send(text('say one'));
    await first.end();
    const second = window.conversation();
    await second.send(text('say two'));
    assert.equal(second.state.blocker?.type, 'load_failed');
    assert.deepEqual(said(second.state), ['user: say one', 'agent: one', 'end ended']);
    assert.equal(second.state.unsent.length, 1);
    await second.startFresh();
    assert.deepEqual(said(second.state), []);
    assert.deepEqual(
      second.state.unsent.map(({ held }) => held),
      ['context_lost'],
    );
    await second.sendHeld();
    assert.deepEqual(said(second.state), ['user: say two', 'agent: two', 'end ended']);
    assert.equal(second.state.earlierSessions.length, 1);
    await second.end();
    const third = window.conversation();
    await third.restore();
    assert.equal(third.state.earlierSessions.length, 1);
  });
});

describe('the rest of a conversation', () => {
  it('a turn can be sent again', async (t) => {
    const conversation = (await openWindow(t)).conversation();
    await conversation.send(text('say one'));
    const end = conversation.state.session?.items.find((item) => item.kind === 'turn_end');
    await conversation.retry(end?.turnId ?? '');
    assert.deepEqual(said(conversation.state), ['user: say one', 'agent: one', 'end ended', 'user: say one', 'agent: one', 'end ended']);
  });

  it('what stood behind a turn that was cut waits for the user, also when the agent is back', async (t) => {
    const window = await openWindow(t);
    const conversation = window.conversation();
    await Promise.all([conversation.send(text('die 1')), conversation.send(text('say later'))]);
    await reached(conversation, ({ live, status }) => live && status.state === 'ready');
    assert.deepEqual(said(conversation.state), ['user: die 1', 'agent: half', 'end interrupted']);
    assert.equal(conversation.state.unsent.length, 1);
    await conversation.sendHeld();
    assert.deepEqual(said(conversation.state).slice(3), ['user: say later', 'agent: later', 'end ended']);
  });

  it('stop gives back what was queued', async (t) => {
    const window = await openWindow(t);
    const conversation = window.conversation();
    const turns = [conversation.send(text('wait')), conversation.send(text('say later'))];
    await reached(conversation, ({ session }) => session?.queue.length === 1);
    conversation.cancel();
    await Promise.all(turns);
    assert.deepEqual(window.givenBack, ['say later']);
    assert.equal(said(conversation.state).at(-1), 'end ended');
  });

  it('an earlier conversation can be opened again, in the same process and after a reload, and goes on', async (t) => {
    const window = await openWindow(t);
    const first = window.conversation();
    await first.send(text('say one'));
    const key = { agentId: 'obedient', sessionId: first.state.session?.sessionId ?? '' };
    await first.newSession();
    await first.send(text('say two'));
    await first.openEarlier(key);
    await first.send(text('say three'));
    const expected = ['user: say one', 'agent: one', 'end ended', 'user: say three', 'agent: three', 'end ended'];
    assert.deepEqual(said(first.state), expected);
    await first.newSession();
    await first.end();
    const second = window.conversation();
    await second.openEarlier(key);
    assert.deepEqual(said(second.state), expected);
    assert.equal(window.started.length, 1);
    await second.send(text('say four'));
    assert.deepEqual(said(second.state).slice(6), ['user: say four', 'agent: four', 'end ended']);
  });

  it('a new session begins empty in the same process', async (t) => {
    const window = await openWindow(t);
    const conversation = window.conversation();
    await conversation.send(text('say one'));
    await conversation.newSession();
    assert.deepEqual(said(conversation.state), []);
    assert.equal(conversation.state.live, true);
    assert.equal(window.started.length, 1);
  });
});
