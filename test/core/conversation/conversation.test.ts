import { MODE_OPTION_ID, selectOf } from '../../../src/core/session/sessionOption.js';
import { promptText } from '../../../src/core/session/content.js';
import { selectOption } from '../../../src/core/session/userRequest.js';
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ConversationClient, isSettled, readConversation } from '../../../src/core/index.js';
import {
  heldIn,
  isWaiting,
  openFrontEnd,
  overEachLine,
  reached,
  returnedIn,
  run,
  said,
  say,
  settled,
  settledTasks,
  text,
  textIn,
  forgetful,
  turnsOf,
} from './frontEnd.js';

overEachLine('starting', (line) => {
  it('opening a conversation to look at it starts no agent', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const conversation = await frontEnd.open();
    assert.deepEqual(frontEnd.started, []);
    assert.equal(conversation.state.agent?.label, 'Obedient');
    assert.equal(conversation.state.status.state, 'stopped');
  });

  it('prompts sent during the start are answered in order by one process', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const conversation = await frontEnd.open();
    await say(conversation, 'say one', 'say two');
    assert.deepEqual(said(conversation.state), ['user: say one', 'agent: one', 'end ended', 'user: say two', 'agent: two', 'end ended']);
    assert.equal(frontEnd.started.length, 1);
    assert.equal(conversation.state.openedBy, 'new');
    assert.equal(conversation.state.info?.name, 'obedient');
  });

  it('in a workspace that is not trusted, no agent starts and no prompt is lost', async (t) => {
    const frontEnd = await openFrontEnd(t, line, { isTrusted: () => false });
    const conversation = await frontEnd.open();
    await say(conversation, 'say hi');
    assert.deepEqual(frontEnd.started, []);
    assert.equal(conversation.state.blocker?.error.code, 'untrusted');
    assert.deepEqual(heldIn(conversation.state), [undefined]);
  });

  it('new sessions begin in the mode from the settings', async (t) => {
    const optionDefaults = () => [{ category: 'mode', value: 'free', isRequired: false }] as const;
    const conversation = await (await openFrontEnd(t, line, { ports: { optionDefaults } })).open();
    await run(conversation, { type: 'open' });
    await reached(conversation, ({ session }) => selectOf(session?.options ?? [], 'mode')?.currentValue === 'free');
  });

  it('a required mode that the agent does not offer blocks the session; a preferred one does not', async (t) => {
    let isRequired = true;
    const optionDefaults = () => [{ category: 'mode', value: 'none', isRequired }] as const;
    const conversation = await (await openFrontEnd(t, line, { ports: { optionDefaults } })).open();
    const result = await conversation.execute({ type: 'open' });
    assert.ok(!result.ok);
    assert.deepEqual([result.error.code, result.error.params['offered']], ['usage', ['ask', 'free']]);
    assert.equal(conversation.state.live, false);
    isRequired = false;
    await run(conversation, { type: 'open' });
    assert.equal(conversation.state.live, true);
  });

  it('stopping the start returns the prompt to one composer only', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open();
    await run(conversation, { type: 'send', content: text('say hi') });
    assert.notEqual(conversation.state.opening, undefined);
    await settled(conversation, { type: 'cancel', scope: 'everything' });
    assert.deepEqual(returnedIn(conversation.state), ['say hi']);
    assert.equal(conversation.state.blocker, undefined);
    const promptIds = conversation.state.returned.map(({ id }) => id);
    assert.deepEqual(await conversation.execute({ type: 'take_returned', promptIds }), { ok: true, ids: promptIds });
    assert.deepEqual(await conversation.execute({ type: 'take_returned', promptIds }), { ok: true, ids: [] });
    assert.deepEqual(conversation.state.returned, []);
  });

  it('stopping ends the wait for a session that the agent never opens', async (t) => {
    const conversation = await (await openFrontEnd(t, line, { agent: 'neverOpens' })).open();
    await run(conversation, { type: 'send', content: text('say hi') });
    await reached(conversation, ({ status }) => status.state === 'starting' && status.awaiting === 'session');
    await run(conversation, { type: 'cancel', scope: 'everything' });
    await reached(conversation, ({ status }) => status.state === 'stopped');
    assert.deepEqual(returnedIn(conversation.state), ['say hi']);
    assert.equal(conversation.state.blocker, undefined);
  });

  it('stopping the turn of a prompt that is then removed does not stop the next one', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open();
    const { ids: [promptId = ''] = [] } = { ids: [], ...(await run(conversation, { type: 'send', content: text('say one') })) };
    await run(conversation, { type: 'cancel', scope: 'turn' });
    await run(conversation, { type: 'unqueue', promptId });
    await say(conversation, 'say two');
    assert.deepEqual(said(conversation.state), ['user: say two', 'agent: two', 'end ended']);
  });

  it('a prompt sent after the start was stopped is sent', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open();
    await run(conversation, { type: 'send', content: text('say one') });
    await run(conversation, { type: 'cancel', scope: 'everything' });
    await say(conversation, 'say two');
    assert.deepEqual(returnedIn(conversation.state), ['say one']);
    assert.deepEqual(said(conversation.state), ['user: say two', 'agent: two', 'end ended']);
  });
});

overEachLine('an agent that forgets the sign-in', (line) => {
  it('it gets the prompt only once, in whichever way it is retried', async (t) => {
    const conversation = await (await openFrontEnd(t, line, { agent: 'isSignedOut' })).open();
    await conversation.execute({ type: 'open' });
    await run(conversation, { type: 'sign_in', methodId: 'browser' });
    await conversation.execute({ type: 'open' });
    await say(conversation, 'expire');
    assert.deepEqual([conversation.state.blocker?.type, conversation.state.outbox.length], ['sign_in', 1]);
    await settled(conversation, { type: 'retry_turn', turnId: turnsOf(conversation.state)[0] ?? '' });
    assert.deepEqual([conversation.state.blocker?.type, conversation.state.outbox.length], ['sign_in', 1]);
  });
});

overEachLine('an agent that crashes', (line) => {
  it('its output so far is kept, and a restart resumes the session', async (t) => {
    // Not by itself.
    const conversation = await (await openFrontEnd(t, line, { restartMs: 3_600_000 })).open();
    await say(conversation, 'die 3');
    const before = ['user: die 3', 'agent: half', 'end interrupted'];
    assert.deepEqual(said(conversation.state), before);
    assert.equal(conversation.state.live, false);
    assert.equal(textIn(conversation.state.interrupted?.content ?? []), 'die 3');
    await run(conversation, { type: 'restart' });
    assert.equal(conversation.state.live, true);
    assert.deepEqual(said(conversation.state), before);
    await say(conversation, 'say back');
    assert.deepEqual(said(conversation.state).slice(before.length), ['user: say back', 'agent: back', 'end ended']);
    assert.equal(conversation.state.interrupted, undefined);
  });

  it('a restart for new settings starts it again if it was started before', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const conversation = await frontEnd.open();
    await run(conversation, { type: 'restart', ifStarted: true });
    assert.deepEqual(frontEnd.started, []);
    await say(conversation, 'say one');
    await run(conversation, { type: 'restart', ifStarted: true });
    assert.equal(frontEnd.started.length, 2);
  });

  it('prompts queued behind the turn are held, also when the agent is back automatically', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open();
    await say(conversation, 'die 1', 'say later');
    await reached(conversation, ({ live, status }) => live && status.state === 'ready');
    assert.deepEqual(said(conversation.state), ['user: die 1', 'agent: half', 'end interrupted']);
    assert.deepEqual(heldIn(conversation.state), ['turn_interrupted']);
    await settled(conversation, { type: 'release_held' });
    assert.deepEqual(said(conversation.state).slice(3), ['user: say later', 'agent: later', 'end ended']);
  });

  it('a force stop ends the turn, and the next prompt starts the agent again', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open();
    await run(conversation, { type: 'send', content: text('wait') });
    await reached(conversation, isWaiting);
    await settled(conversation, { type: 'force_stop' });
    assert.equal(said(conversation.state).at(-1), 'end interrupted');
    await say(conversation, 'say back');
    assert.equal(said(conversation.state).at(-2), 'agent: back');
  });
});

overEachLine('a front end that is closed', (line) => {
  it('the next one shows the conversation without an agent, and resumes it with the next prompt', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    await say(await frontEnd.open(), 'say one');
    await frontEnd.reopen();
    const conversation = await frontEnd.open();
    assert.deepEqual(said(conversation.state), ['user: say one', 'agent: one', 'end ended']);
    assert.equal(frontEnd.started.length, 1);
    await say(conversation, 'say two');
    assert.deepEqual(said(conversation.state), ['user: say one', 'agent: one', 'end ended', 'user: say two', 'agent: two', 'end ended']);
    assert.equal(conversation.state.openedBy, 'loaded');
  });

  it('an agent that forgot the session is reported, and only the user begins a new session', async (t) => {
    const frontEnd = await openFrontEnd(t, line, { env: forgetful });
    await say(await frontEnd.open(), 'say one');
    await frontEnd.reopen();
    const conversation = await frontEnd.open();
    await say(conversation, 'say two');
    const { blocker } = conversation.state;
    assert.ok(blocker?.type === 'resume_refused');
    assert.equal(blocker.offer?.turns, 1);
    assert.deepEqual(said(conversation.state), ['user: say one', 'agent: one', 'end ended']);
    assert.deepEqual(heldIn(conversation.state), [undefined]);
    await run(conversation, { type: 'start_fresh', waiting: 'hold' });
    assert.deepEqual(said(conversation.state), []);
    assert.deepEqual(heldIn(conversation.state), ['context_lost']);
    await settled(conversation, { type: 'release_held' });
    assert.deepEqual(said(conversation.state), ['user: say two', 'agent: two', 'end ended']);
    assert.equal(conversation.state.earlierSessions.length, 1);
    await frontEnd.reopen();
    assert.equal((await frontEnd.open()).state.earlierSessions.length, 1);
  });

  it('a conversation that cannot be read from disk is reported, and can be used', async (t) => {
    const ports = {
      recall: () => {
        throw new Error('broken');
      },
    };
    const conversation = await (await openFrontEnd(t, line, { ports })).open();
    assert.equal(conversation.state.blocker?.error.code, 'storage_failed');
    await say(conversation, 'say one');
    assert.deepEqual(said(conversation.state), ['user: say one', 'agent: one', 'end ended']);
  });

  it('a prompt that is sent while the conversation is being read continues its session', async (t) => {
    let finish = (): void => {};
    const slow = new Promise<void>((resolve) => (finish = resolve));
    const ports = {
      async readSessions() {
        await slow;
        return readConversation(frontEnd.journals, 'one');
      },
    };
    const frontEnd = await openFrontEnd(t, line, { ports });
    await say(await frontEnd.open(), 'say one');
    await frontEnd.reopen();
    const opening = frontEnd.open();
    const sent = frontEnd.conversations.get('one')?.execute({ type: 'send', content: text('say two') });
    await settledTasks();
    assert.equal(frontEnd.started.length, 1);
    finish();
    const conversation = await opening;
    assert.equal((await sent)?.ok, true);
    await reached(conversation, isSettled);
    assert.deepEqual(said(conversation.state), ['user: say one', 'agent: one', 'end ended', 'user: say two', 'agent: two', 'end ended']);
    assert.equal(conversation.state.openedBy, 'loaded');
  });
});

overEachLine('other actions in a conversation', (line) => {
  const one = ['user: say one', 'agent: one', 'end ended'];

  it('a turn can be sent again', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open();
    await say(conversation, 'say one');
    await settled(conversation, { type: 'retry_turn', turnId: turnsOf(conversation.state)[0] ?? '' });
    assert.deepEqual(said(conversation.state), [...one, ...one]);
    assert.equal((await conversation.execute({ type: 'retry_turn', turnId: 't9' })).ok, false);
  });

  it('a request of the agent is answered only once', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open();
    await run(conversation, { type: 'send', content: text('ask') });
    await reached(conversation, ({ status }) => status.state === 'waiting');
    const requestId = conversation.state.session?.requests[0]?.id ?? assert.fail('no request');
    const answer = selectOption('yes');
    await run(conversation, { type: 'answer_request', requestId, answer });
    assert.equal((await conversation.execute({ type: 'answer_request', requestId, answer })).ok, false);
    await reached(conversation, ({ sending }) => sending === undefined);
    assert.equal(said(conversation.state).at(-2), 'agent: yes');
  });

  it('what the agent is to do instead is its next prompt, or part of its turn if it can be steered', async (t) => {
    for (const steers of [false, true]) {
      const env = steers ? { OBEDIENT_QUEUES: '1' } : {};
      const conversation = await (await openFrontEnd(t, line, { env })).open();
      await run(conversation, { type: 'send', content: text('ask') });
      await reached(conversation, ({ status }) => status.state === 'waiting');
      await run(conversation, { type: 'send', content: text('say later') });
      const requestId = conversation.state.session?.requests[0]?.id ?? assert.fail('no request');
      await settled(conversation, { type: 'answer_request', requestId, answer: selectOption('no'), feedback: 'say instead' });
      const prompts = said(conversation.state).filter((entry) => entry.startsWith('user'));
      assert.deepEqual(prompts, ['user: ask', 'user: say instead', 'user: say later']);
      const [, instead] = (conversation.state.session?.items ?? []).filter((item) => item.kind === 'message' && item.role === 'user');
      const [first] = turnsOf(conversation.state);
      assert.equal(instead?.kind === 'message' && instead.turnId === first, steers);
    }
  });

  it('an option is set by its id, and an unknown id is refused', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open();
    await run(conversation, { type: 'open' });
    await run(conversation, { type: 'set_option', optionId: MODE_OPTION_ID, value: 'free' });
    await reached(conversation, ({ session }) => selectOf(session?.options ?? [], 'mode')?.currentValue === 'free');
    assert.equal((await conversation.execute({ type: 'set_option', optionId: 'none', value: true })).ok, false);
  });

  it('an option is set during a turn if the agent accepts that', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open();
    await run(conversation, { type: 'send', content: text('wait') });
    await reached(conversation, isWaiting);
    await run(conversation, { type: 'set_option', optionId: MODE_OPTION_ID, value: 'free' });
    assert.equal(selectOf(conversation.state.session?.options ?? [], 'mode')?.currentValue, 'free');
    assert.deepEqual([conversation.state.session?.turn.type, conversation.state.optionChanges], ['running', []]);
  });

  it('an option that the agent refuses between turns is shown as changing until then', async (t) => {
    const env = { OBEDIENT_DEPTHS: 'low high', OBEDIENT_REFUSES_LATE: 'high' };
    const conversation = await (await openFrontEnd(t, line, { env })).open();
    await run(conversation, { type: 'open' });
    const refused = conversation.execute({ type: 'set_option', optionId: 'depth', value: 'high' });
    await reached(conversation, ({ optionChanges: [change] }) => change?.state === 'asked' && change.value === 'high');
    await run(conversation, { type: 'set_option', optionId: MODE_OPTION_ID, value: 'free' });
    const result = await refused;
    assert.deepEqual(
      !result.ok && [result.error.code, result.error.params.reason],
      ['usage', 'option_refused'],
      'it is not said what failed',
    );
    assert.deepEqual(conversation.state.optionChanges, []);
  });

  it('an option that the agent refuses during a turn is set at its end, unless it was changed again', async (t) => {
    const conversation = await (await openFrontEnd(t, line, { env: { OBEDIENT_SETS_MODE: 'between turns' } })).open();
    await run(conversation, { type: 'send', content: text('wait') });
    await reached(conversation, isWaiting);
    const set = (value: string) => conversation.execute({ type: 'set_option', optionId: MODE_OPTION_ID, value });
    const first = set('ask');
    await reached(conversation, ({ optionChanges }) => optionChanges[0]?.state === 'deferred');
    const second = set('free');
    await reached(conversation, ({ optionChanges: [change] }) => change?.state === 'deferred' && change.value === 'free');
    assert.equal(selectOf(conversation.state.session?.options ?? [], 'mode')?.currentValue, 'ask');
    await run(conversation, { type: 'cancel', scope: 'turn' });
    assert.deepEqual([(await first).ok, (await second).ok], [false, true]);
    assert.equal(selectOf(conversation.state.session?.options ?? [], 'mode')?.currentValue, 'free');
    assert.deepEqual(conversation.state.optionChanges, []);
  });

  it('an option that waits for the end of a turn is dropped when the agent ends', async (t) => {
    const conversation = await (await openFrontEnd(t, line, { env: { OBEDIENT_SETS_MODE: 'between turns' } })).open();
    await run(conversation, { type: 'send', content: text('wait') });
    await reached(conversation, isWaiting);
    const set = conversation.execute({ type: 'set_option', optionId: MODE_OPTION_ID, value: 'free' });
    await reached(conversation, ({ optionChanges }) => optionChanges[0]?.state === 'deferred');
    await run(conversation, { type: 'force_stop' });
    assert.equal((await set).ok, false);
    assert.deepEqual(conversation.state.optionChanges, []);
  });

  it('stop returns queued prompts', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open();
    await run(conversation, { type: 'send', content: text('wait') });
    await run(conversation, { type: 'send', content: text('say later') });
    await reached(conversation, isWaiting);
    assert.equal(conversation.state.outbox.length, 1);
    await settled(conversation, { type: 'cancel', scope: 'everything' });
    assert.deepEqual(returnedIn(conversation.state), ['say later']);
    assert.equal(said(conversation.state).at(-1), 'end ended');
  });

  it('a prompt can be queued before another one, and is the next one if that was sent', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open();
    const send = async (words: string, before?: string): Promise<string> => {
      const { ids } = {
        ids: [],
        ...(await run(conversation, { type: 'send', content: text(words), ...(before !== undefined && { before }) })),
      };
      return ids[0] ?? '';
    };
    const sent = await send('wait');
    await reached(conversation, isWaiting);
    await send('say first');
    const last = await send('say last');
    await send('say second', last);
    await send('say next', sent);
    assert.deepEqual(
      conversation.state.outbox.map(({ content }) => promptText(content)),
      ['say next', 'say first', 'say second', 'say last'],
    );
    await settled(conversation, { type: 'cancel', scope: 'everything' });
  });

  it('a queued prompt can be removed, but only once', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open();
    await run(conversation, { type: 'send', content: text('wait') });
    const { ids } = { ids: [], ...(await run(conversation, { type: 'send', content: text('say later') })) };
    const promptId = ids[0] ?? '';
    await run(conversation, { type: 'unqueue', promptId });
    assert.equal((await conversation.execute({ type: 'unqueue', promptId })).ok, false);
    await reached(conversation, isWaiting);
    await settled(conversation, { type: 'cancel', scope: 'turn' });
    assert.equal(said(conversation.state).at(-1), 'end ended');
  });
});

overEachLine('the agent of a conversation', (line) => {
  const isBound = async (conversation: ConversationClient): Promise<boolean> => {
    const result = await conversation.execute({ type: 'change_agent' });
    return !result.ok && result.error.params.reason === 'agent_bound';
  };

  it('without messages, it can be changed: the one before is ended, and what was waiting returns to the composer', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const conversation = await frontEnd.open();
    await run(conversation, { type: 'open' });
    await run(conversation, { type: 'change_agent' });
    const { session, status, live } = conversation.state;
    assert.deepEqual([session, status.state, live], [undefined, 'stopped', false]);
    await run(conversation, { type: 'send', content: text('say one') });
    await run(conversation, { type: 'change_agent' });
    assert.deepEqual([returnedIn(conversation.state), conversation.state.outbox], [['say one'], []]);
    await say(conversation, 'say two');
    assert.deepEqual(said(conversation.state), ['user: say two', 'agent: two', 'end ended']);
  });

  it('with messages, it cannot be changed, also before it is started again', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const conversation = await frontEnd.open();
    await run(conversation, { type: 'send', content: text('wait') });
    await reached(conversation, isWaiting);
    assert.equal(await isBound(conversation), true);
    assert.equal(conversation.state.session?.turn.type, 'running');
    await settled(conversation, { type: 'cancel', scope: 'turn' });
    await say(conversation, 'say one');
    assert.equal(frontEnd.started.length, 1);
    await frontEnd.reopen();
    const again = await frontEnd.open();
    assert.equal(await isBound(again), true);
    assert.deepEqual(said(again.state), ['user: wait', 'tool', 'end ended', 'user: say one', 'agent: one', 'end ended']);
  });

  it('it cannot be changed if only an earlier session has messages', async (t) => {
    const frontEnd = await openFrontEnd(t, line, { env: forgetful });
    const conversation = await frontEnd.open();
    await say(conversation, 'die 1');
    await reached(conversation, ({ blocker }) => blocker?.type === 'resume_refused');
    await run(conversation, { type: 'start_fresh', waiting: 'hold' });
    assert.equal(await isBound(conversation), true);
    await frontEnd.reopen();
    const again = await frontEnd.open();
    assert.equal(await isBound(again), true);
    assert.equal(again.state.earlierSessions.length, 1);
  });
});
