import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { isContextBlock } from '../../src/core/index.js';
import type { Conversation } from '../../src/extension/conversation/conversation.js';
import type { ConversationState } from '../../src/extension/conversation/state.js';
import { forgetful, line, openWindow, reached, said, text, textIn, type Window } from './conversationWindow.js';

describe('an agent that came back and does not remember', () => {
  /** The first turn was cut, one message waits behind it, and the agent that came back knows nothing. */
  async function lost(t: TestContext): Promise<{ readonly conversation: Conversation; readonly window: Window }> {
    const window = await openWindow(t, { env: forgetful });
    const conversation = window.conversation();
    await conversation.send(text('say one'));
    await Promise.all([conversation.send(text('die 1')), conversation.send(text('say later'))]);
    await reached(conversation, ({ blocker }) => blocker?.type === 'load_failed');
    return { conversation, window };
  }
  const carried = ({ session }: ConversationState): string[][] =>
    (session?.items ?? []).flatMap((item) =>
      item.kind === 'message' && item.role === 'user'
        ? [item.content.map((block) => (isContextBlock(block) ? 'context' : block.type === 'text' ? block.text : block.type))]
        : [],
    );

  it('says so by itself, and nothing is begun in its place', async (t) => {
    const { conversation } = await lost(t);
    assert.deepEqual(said(conversation.state), [
      'user: say one',
      'agent: one',
      'end ended',
      'user: die 1',
      'agent: half',
      'end interrupted',
    ]);
    assert.deepEqual(conversation.state.earlierSessions, []);
    assert.deepEqual(
      conversation.state.unsent.map(({ held }) => held),
      ['turn_cut'],
    );
  });

  it('goes on with the context: it goes with the next message only, and what waited goes when the user says so', async (t) => {
    const { conversation } = await lost(t);
    await conversation.goOnWithContext();
    assert.equal(conversation.state.context?.turns, 2);
    assert.deepEqual(said(conversation.state), []);
    assert.equal(conversation.state.earlierSessions.length, 1);
    assert.equal(conversation.state.blocker, undefined);
    await conversation.sendHeld();
    await conversation.send(text('say two'));
    assert.deepEqual(carried(conversation.state), [['context', 'say later'], ['say two']]);
    assert.deepEqual(
      conversation.state.session?.items.flatMap((item) => (item.kind === 'message' && item.role === 'agent' ? [line(item)] : [])),
      ['agent: later', 'agent: two'],
    );
    assert.equal(conversation.state.context, undefined);
  });

  it('a turn that stands above is sent again with its own words, though a turn below has the same id', async (t) => {
    const { conversation, window } = await lost(t);
    const { session } = conversation.state;
    await conversation.startFresh();
    await conversation.send(text('say new'));
    conversation.editPrompt('t1', session);
    assert.equal(window.givenBack.at(-1), 'say one');
    conversation.editPrompt('t1');
    assert.equal(window.givenBack.at(-1), 'say new');
  });

  it('the context can be left out, and comes back with a message that is not sent after all', async (t) => {
    const { conversation, window } = await lost(t);
    await conversation.goOnWithContext();
    conversation.dropContext();
    await conversation.send(text('say two'));
    assert.deepEqual(carried(conversation.state), [['say two']]);
    await conversation.send(text('die 1'));
    await reached(conversation, ({ blocker }) => blocker?.type === 'load_failed');
    await conversation.goOnWithContext();
    await conversation.send(text('die 1'));
    const turnId = conversation.state.session?.items.find((item) => item.kind === 'turn_end')?.turnId ?? '';
    conversation.editPrompt(turnId);
    assert.equal(window.givenBack.at(-1), 'die 1');
    assert.equal(conversation.state.context?.turns, 4);
  });

  it('what stood above is above again after a reload and from the history, and the context is still to be sent', async (t) => {
    const { conversation, window } = await lost(t);
    await conversation.goOnWithContext();
    await conversation.end();
    const second = window.conversation();
    await second.restore();
    assert.deepEqual(
      second.state.earlierSessions.map(({ items }) => items.length),
      [6],
    );
    assert.equal(second.state.context?.turns, 2);
    await second.send(text('say two'));
    const { sessionId } = second.state.session ?? assert.fail('no session');
    assert.deepEqual(carried(second.state), [['context', 'say two']]);
    await second.newSession();
    await second.openEarlier({ agentId: 'obedient', sessionId });
    assert.deepEqual(
      second.state.earlierSessions.map(({ items }) => items.length),
      [6],
    );
    assert.deepEqual(carried(second.state), [['context', 'say two']]);
  });
});

describe('messages that no turn has taken', () => {
  it('survive the window, in order, and are sent only when the user says so', async (t) => {
    const window = await openWindow(t);
    const first = window.conversation();
    const turns = [first.send(text('wait')), first.send(text('say one')), first.send(text('say two'))];
    await reached(first, ({ session }) => session?.queue.length === 2);
    const left = window.remembered();
    await first.end();
    await Promise.all(turns);
    const second = window.conversation();
    window.remember(left);
    await second.restore();
    assert.deepEqual(
      second.state.unsent.map(({ content, held }) => [textIn(content), held]),
      [
        ['say one', 'turn_cut'],
        ['say two', 'turn_cut'],
      ],
    );
    await second.send(text('say new'));
    assert.deepEqual(said(second.state).slice(-3), ['user: say new', 'agent: new', 'end ended']);
    assert.equal(second.state.unsent.length, 2);
    await second.sendHeld();
    assert.deepEqual(said(second.state).slice(-6), [
      'user: say one',
      'agent: one',
      'end ended',
      'user: say two',
      'agent: two',
      'end ended',
    ]);
    assert.deepEqual(window.remembered(), []);
  });

  it('one whose turn began before the window closed is not offered again', async (t) => {
    const window = await openWindow(t);
    const first = window.conversation();
    const at = Date.now();
    await first.send(text('say one'));
    await first.end();
    window.remember([{ id: 'u', content: text('say one'), at, held: undefined }]);
    const second = window.conversation();
    await second.restore();
    assert.deepEqual(second.state.unsent, []);
  });

  it('what would freeze the agent waits for a decision, also over a reload, and is not let go with the others', async (t) => {
    const window = await openWindow(t);
    const first = window.conversation();
    await first.holdRisky(text('say risky'));
    assert.deepEqual(window.started, []);
    await first.end();
    const second = window.conversation();
    await second.sendHeld();
    assert.deepEqual(
      second.risky.map(({ content }) => textIn(content)),
      ['say risky'],
    );
    assert.deepEqual(said(second.state), []);
    second.giveRiskyBack();
    assert.deepEqual(window.givenBack, ['say risky']);
    assert.deepEqual(second.state.unsent, []);
  });
});
