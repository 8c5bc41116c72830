import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ConversationListClient, HostError, isSettled } from '../../../src/core/index.js';
import { reduceList } from '../../../src/core/conversation/conversationList.js';
import {
  follow,
  isWaiting,
  keyOf,
  lines,
  openFrontEnd,
  overCuts,
  reached,
  run,
  said,
  say,
  settled,
  text,
  throughClones,
} from './frontEnd.js';

overCuts('two conversations of one folder and agent', (line) => {
  it('they share a process, and each has its own session', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const [one, two] = [await frontEnd.open('one'), await frontEnd.open('two')];
    await Promise.all([say(one, 'say one'), say(two, 'say two')]);
    assert.equal(frontEnd.started.length, 1);
    assert.deepEqual(said(one.state), ['user: say one', 'agent: one', 'end ended']);
    assert.deepEqual(said(two.state), ['user: say two', 'agent: two', 'end ended']);
    assert.notEqual(keyOf(one).sessionId, keyOf(two).sessionId);
  });

  it('each is notified about its own turns only', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const [one, two] = [await frontEnd.open('one'), await frontEnd.open('two')];
    await run(two, { type: 'open' });
    await run(one, { type: 'send', content: text('wait') });
    await reached(one, ({ status }) => status.state === 'busy');
    await say(two, 'say two');
    assert.deepEqual([one.state.status.state, two.state.status.state], ['busy', 'ready']);
    await settled(one, { type: 'cancel', scope: 'everything' });
  });

  it('one is not notified if the other cannot open its session', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const session = { agentId: 'obedient', sessionId: 'unknown' };
    const [one, two] = [await frontEnd.open('one'), await frontEnd.open('two', { session })];
    await say(one, 'say one');
    const states = new Set<string>();
    one.onChange(({ state }) => states.add(state.status.state));
    assert.equal((await two.execute({ type: 'open' })).ok, false);
    assert.equal(two.state.status.state, 'failed');
    await say(one, 'say more');
    assert.deepEqual([...states].sort(), ['busy', 'ready']);
  });

  it('a restart by one restarts the agent for both, and each resumes its session', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const [one, two] = [await frontEnd.open('one'), await frontEnd.open('two')];
    await Promise.all([say(one, 'say one'), say(two, 'say two')]);
    await run(one, { type: 'restart' });
    await reached(two, ({ live }) => !live);
    assert.equal(one.state.live, true);
    assert.deepEqual(said(two.state), ['user: say two', 'agent: two', 'end ended']);
    await say(two, 'say more');
    assert.equal(said(two.state).at(-2), 'agent: more');
    assert.equal(frontEnd.started.length, 2);
  });

  it('both resume when the agent was lost', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const [one, two] = [await frontEnd.open('one'), await frontEnd.open('two')];
    await say(one, 'say one');
    await say(two, 'die 1');
    await Promise.all([one, two].map((conversation) => reached(conversation, ({ live, status }) => live && status.state === 'ready')));
    await Promise.all([say(one, 'say back'), say(two, 'say back')]);
    assert.deepEqual([said(one.state).at(-2), said(two.state).at(-2)], ['agent: back', 'agent: back']);
  });

  it('the agent is ended with the last of them', async (t) => {
    const frontEnd = await openFrontEnd(t, line, { env: { OBEDIENT_CAN: 'load close' } });
    const [one, two] = [await frontEnd.open('one'), await frontEnd.open('two')];
    await Promise.all([say(one, 'say one'), say(two, 'say two')]);
    await frontEnd.conversations.close('one');
    await say(two, 'say more');
    assert.equal(said(two.state).at(-2), 'agent: more');
    await frontEnd.conversations.close('two');
    await say(await frontEnd.open('three'), 'say three');
    assert.equal(frontEnd.started.length, 2);
  });
});

overCuts('an agent that uses the ID of a lost session again', (line) => {
  it('a replacement for the lost session does not stop the conversation that has its ID now', async (t) => {
    const frontEnd = await openFrontEnd(t, line, { env: { OBEDIENT_CAN: '' } });
    const [one, two] = [await frontEnd.open('one'), await frontEnd.open('two')];
    await say(one, 'die 1');
    await reached(one, ({ blocker }) => blocker?.type === 'resume_refused');
    await run(two, { type: 'send', content: text('wait') });
    await reached(two, isWaiting);
    assert.deepEqual(keyOf(two), keyOf(one));
    await run(one, { type: 'start_fresh', waiting: 'hold' });
    await say(one, 'say new');
    assert.deepEqual([two.state.live, two.state.session?.turn.type], [true, 'running']);
    await settled(two, { type: 'cancel', scope: 'everything' });
  });

  it('both conversations are saved and shown, each on its own, and the agent has one of them at a time', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    await say(await frontEnd.open('one'), 'say one');
    await frontEnd.reopen();
    await say(await frontEnd.open('two'), 'say two');
    await frontEnd.reopen();
    const [one, two] = [await frontEnd.open('one'), await frontEnd.open('two')];
    const expected = { one: ['user: say one', 'agent: one', 'end ended'], two: ['user: say two', 'agent: two', 'end ended'] };
    assert.deepEqual(keyOf(two), keyOf(one));
    assert.deepEqual({ one: said(one.state), two: said(two.state) }, expected);
    await say(one, 'say more');
    await say(two, 'say more');
    assert.ok(two.state.blocker?.type === 'resume_refused');
    assert.equal(two.state.blocker.error.params.reason, 'id_reused');
    await frontEnd.reopen();
    assert.deepEqual(said((await frontEnd.open('one')).state), [...expected.one, 'user: say more', 'agent: more', 'end ended']);
    assert.deepEqual(said((await frontEnd.open('two')).state), expected.two);
  });
});

overCuts('a session that is opened again while it is being loaded', (line) => {
  it('it stays open although the first attempt was stopped, and gets the prompt', async (t) => {
    const frontEnd = await openFrontEnd(t, line, {
      env: { OBEDIENT_CAN: 'load close', OBEDIENT_LOADS_LATE: '1', OBEDIENT_UNIQUE_IDS: '1' },
    });
    for (const id of ['one', 'two']) await say(await frontEnd.open(id), 'say before');
    await frontEnd.reopen();
    const [one, two] = [await frontEnd.open('one'), await frontEnd.open('two')];
    void two.execute({ type: 'open' });
    void one.execute({ type: 'open' });
    await reached(one, ({ status }) => status.state === 'starting' && status.awaiting === 'session');
    await run(one, { type: 'cancel', scope: 'everything' });
    await run(one, { type: 'send', content: text('say again') });
    // The agent completes the loads with its next request.
    await say(await frontEnd.open('three'), 'say three');
    await reached(one, isSettled);
    assert.deepEqual(said(one.state).slice(-3), ['user: say again', 'agent: again', 'end ended']);
    assert.deepEqual([one.state.live, one.state.returned], [true, []]);
  });
});

const listReached = (list: ConversationListClient, holds: (activities: readonly string[]) => boolean): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (!holds(list.state.conversations.map(({ activity }) => activity))) return;
      subscription.dispose();
      resolve();
    };
    const subscription = list.onChange(look);
    look();
  });

describe('the list of conversations', () => {
  it('it reports the state of each one, and accepts commands', async (t) => {
    const [line] = lines;
    assert.ok(line);
    const frontEnd = await openFrontEnd(t, line);
    const { client: list, close } = await follow(frontEnd.conversations, { revision: 0, conversations: [] }, reduceList, throughClones());
    const one = await frontEnd.open('one');
    await run(one, { type: 'send', content: text('ask') });
    await listReached(list, ([activity]) => activity === 'needs_input');
    await frontEnd.open('two');
    assert.equal((await list.execute({ type: 'restore', id: 'three' })).ok, false);
    assert.deepEqual(
      list.state.conversations.map((entry) => [entry.id, entry.sessionId, entry.agent?.label]),
      [
        ['one', 's1', 'Obedient'],
        ['two', undefined, 'Obedient'],
      ],
    );
    assert.deepEqual([await frontEnd.conversations.close('two'), await frontEnd.conversations.close('two')], [true, false]);
    await settled(one, { type: 'cancel', scope: 'everything' });
    await listReached(list, (activities) => activities.join() === 'idle');
    list.dispose();
    close();
  });

  it('it names a conversation after the message that waits in it', async (t) => {
    const [line] = lines;
    assert.ok(line);
    const frontEnd = await openFrontEnd(t, line, { isTrusted: () => false });
    const one = await frontEnd.open('one');
    const names = (): readonly (string | undefined)[] => frontEnd.conversations.state.conversations.map(({ firstWords }) => firstWords);
    assert.deepEqual(names(), [undefined]);
    // What was pasted follows.
    await one.execute({ type: 'send', content: [...text('say one'), ...text('build.log:\nline 1')] });
    assert.deepEqual([one.state.outbox.length, names()], [1, ['say one']]);
  });
});

// The front end that answers may be gone a moment after it has seen the conversation.
it('a conversation that is opened asks only once which agent would start, before it is restored', async (t) => {
  let asked = 0;
  const agent = { id: 'obedient', label: 'Obedient', isFallback: false };
  const peekAgent = () => (asked++ === 0 ? Promise.resolve(agent) : Promise.reject(new HostError('unsupported')));
  const { conversations, folder } = await openFrontEnd(t, lines[0] ?? assert.fail(), { ports: { peekAgent } });
  const conversation = conversations.open({ cwd: folder, id: 'one' });
  assert.deepEqual(await conversation.execute({ type: 'clear_context' }), { ok: true });
  assert.deepEqual([asked, conversation.state.blocker], [1, undefined]);
});

// Over a channel, it would only learn about the start after its end.
it('if one of two conversations restarts the agent while both are starting it, no prompt is lost', async (t) => {
  const frontEnd = await openFrontEnd(t, lines[0] ?? assert.fail());
  const [one, two] = [await frontEnd.open('one'), await frontEnd.open('two')];
  await Promise.all([run(one, { type: 'send', content: text('say one') }), run(two, { type: 'send', content: text('say two') })]);
  await reached(two, ({ status }) => status.state === 'starting');
  await run(one, { type: 'restart' });
  await Promise.all([one, two].map((conversation) => reached(conversation, isSettled)));
  assert.deepEqual(
    [one, two].map(({ state }) => [said(state).at(-2), state.returned.length, state.blocker]),
    [
      ['agent: one', 0, undefined],
      ['agent: two', 0, undefined],
    ],
  );
});
