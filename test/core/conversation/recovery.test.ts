import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { it, type TestContext } from 'node:test';
import { type ConversationClient, type ConversationRecord, type ConversationState, isContextBlock } from '../../../src/core/index.js';
import {
  type FrontEnd,
  forgetful,
  heldIn,
  isWaiting,
  type Line,
  openFrontEnd,
  overCuts,
  reached,
  returnedIn,
  run,
  said,
  say,
  settled,
  text,
  textIn,
  turnsOf,
} from './frontEnd.js';

/** The first turn ended, the second was interrupted, one prompt is queued behind it, and the restarted agent remembers nothing. */
async function lost(t: TestContext, line: Line): Promise<{ readonly conversation: ConversationClient; readonly frontEnd: FrontEnd }> {
  const frontEnd = await openFrontEnd(t, line, { env: forgetful });
  const conversation = await frontEnd.open();
  await say(conversation, 'say one');
  await say(conversation, 'die 1', 'say later');
  await refused(conversation);
  return { conversation, frontEnd };
}

const refused = (conversation: ConversationClient): Promise<void> =>
  reached(conversation, ({ blocker }) => blocker?.type === 'resume_refused');

const carried = ({ session }: ConversationState): readonly (readonly string[])[] =>
  (session?.items ?? []).flatMap((item) =>
    item.kind === 'message' && item.role === 'user'
      ? [item.content.map((block) => (isContextBlock(block) ? 'context' : block.type === 'text' ? block.text : block.type))]
      : [],
  );

overCuts('an agent that was restarted and has forgotten the session', (line) => {
  it('the conversation reports it with the available context, and begins no other session', async (t) => {
    const { conversation } = await lost(t, line);
    const { state } = conversation;
    assert.deepEqual(said(state), ['user: say one', 'agent: one', 'end ended', 'user: die 1', 'agent: half', 'end interrupted']);
    assert.deepEqual([state.earlierSessions, heldIn(state)], [[], ['turn_interrupted']]);
    assert.ok(state.blocker?.type === 'resume_refused');
    assert.equal(state.blocker.offer?.turns, 2);
    assert.match(state.blocker.offer.text, /> half/);
  });

  it('with context: it is sent with the next prompt only, and held prompts are sent on demand', async (t) => {
    const { conversation } = await lost(t, line);
    await run(conversation, { type: 'continue_with_context', waiting: 'hold' });
    assert.equal(conversation.state.context?.turns, 2);
    assert.deepEqual(said(conversation.state), []);
    assert.equal(conversation.state.earlierSessions.length, 1);
    assert.equal(conversation.state.blocker, undefined);
    await settled(conversation, { type: 'release_held' });
    await say(conversation, 'say two');
    assert.deepEqual(carried(conversation.state), [['context', 'say later'], ['say two']]);
    assert.deepEqual(
      said(conversation.state).filter((entry) => entry.startsWith('agent')),
      ['agent: later', 'agent: two'],
    );
    assert.equal(conversation.state.context, undefined);
  });

  it('a turn of an earlier session can be returned, too', async (t) => {
    const { conversation } = await lost(t, line);
    const [earlier = ''] = turnsOf(conversation.state);
    await run(conversation, { type: 'start_fresh', waiting: 'hold' });
    await say(conversation, 'say new');
    await run(conversation, { type: 'edit_turn', turnId: earlier });
    await run(conversation, { type: 'edit_turn', turnId: turnsOf(conversation.state).at(-1) ?? '' });
    assert.deepEqual(returnedIn(conversation.state), ['say one', 'say new']);
  });

  it('the context can be left out, and is offered again after a prompt that may not have been read', async (t) => {
    const { conversation } = await lost(t, line);
    await run(conversation, { type: 'continue_with_context', waiting: 'hold' });
    await run(conversation, { type: 'clear_context' });
    await say(conversation, 'say two');
    assert.deepEqual(carried(conversation.state), [['say two']]);
    await say(conversation, 'die 1');
    await refused(conversation);
    await run(conversation, { type: 'continue_with_context', waiting: 'hold' });
    await say(conversation, 'die 1');
    assert.equal(conversation.state.context?.turns, 4);
    await run(conversation, { type: 'edit_turn', turnId: turnsOf(conversation.state).at(-1) ?? '' });
    assert.deepEqual(returnedIn(conversation.state), ['die 1']);
  });

  it('the context is offered again after a turn that was stopped before the agent got the prompt', async (t) => {
    const { conversation } = await lost(t, line);
    await run(conversation, { type: 'continue_with_context', waiting: 'hold' });
    await Promise.all([
      run(conversation, { type: 'send', content: text('say two') }),
      run(conversation, { type: 'cancel', scope: 'turn' }),
      reached(conversation, (state) => said(state).at(-1) === 'end ended' && state.context !== undefined),
    ]);
    assert.ok(!said(conversation.state).includes('agent: two'));
    assert.equal(conversation.state.context?.turns, 2);
    await say(conversation, 'say three');
    assert.deepEqual(carried(conversation.state).at(-1), ['context', 'say three']);
    assert.equal(conversation.state.context, undefined);
  });

  it('after the front end was closed, earlier sessions are shown, and the context is still to be sent, once', async (t) => {
    const { conversation, frontEnd } = await lost(t, line);
    await run(conversation, { type: 'continue_with_context', waiting: 'hold' });
    await frontEnd.reopen();
    const second = await frontEnd.open();
    const lengthsIn = ({ earlierSessions }: ConversationState): readonly number[] => earlierSessions.map(({ items }) => items.length);
    assert.deepEqual(lengthsIn(second.state), [6]);
    assert.equal(second.state.context?.turns, 2);
    await say(second, 'say two');
    assert.deepEqual(carried(second.state), [['context', 'say two']]);
    await frontEnd.reopen();
    const { state } = await frontEnd.open();
    assert.deepEqual([lengthsIn(state), state.context], [[6], undefined]);
    assert.deepEqual(carried(state), [['context', 'say two']]);
  });
});

overCuts('several conversations whose agent is restarted', (line) => {
  it('each asks for its session: a refusal is reported in its own, and one without messages begins another', async (t) => {
    const frontEnd = await openFrontEnd(t, line, { env: { OBEDIENT_FORGETS: 's1' } });
    const [forgotten, empty, current] = [await frontEnd.open('one'), await frontEnd.open('two'), await frontEnd.open('three')];
    await say(forgotten, 'say hi');
    await settled(empty, { type: 'open' });
    const before = empty.state.session?.id;
    await say(current, 'die 9');
    await Promise.all([
      refused(forgotten),
      reached(empty, ({ live, session }) => live && session?.id !== before),
      reached(current, ({ live, status }) => live && status.state === 'ready'),
    ]);
    assert.deepEqual(said(current.state), ['user: die 9', 'agent: half', 'end interrupted']);
    assert.deepEqual([current.state.blocker, empty.state.blocker, forgotten.state.live], [undefined, undefined, false]);
    await say(current, 'say back');
    assert.equal(said(current.state).at(-2), 'agent: back');
    assert.deepEqual(said(forgotten.state), ['user: say hi', 'agent: hi', 'end ended']);
    assert.deepEqual(frontEnd.started, ['obedient']);
  });
});

overCuts('an agent that loses the session while it runs, and does not load it', (line) => {
  it('the refusal is reported at the end of the turn, and only the user begins another session', async (t) => {
    const conversation = await (await openFrontEnd(t, line, { agent: 'losesSession', env: { LOSES: 'forever' } })).open();
    await say(conversation, 'first');
    await say(conversation, 'second');
    const { blocker, live, interrupted, session } = conversation.state;
    assert.ok(blocker?.type === 'resume_refused' && blocker.offer?.turns === 2, JSON.stringify(blocker));
    assert.deepEqual([live, interrupted?.content, session?.turn.type], [false, text('second'), 'idle']);
    await run(conversation, { type: 'start_fresh', waiting: 'hold' });
    assert.deepEqual([conversation.state.live, conversation.state.blocker], [true, undefined]);
  });
});

overCuts('an agent that exits whenever it gets the session back', (line) => {
  it('it is restarted until it is given up, and its state has the reason', async (t) => {
    const conversation = await (await openFrontEnd(t, line, { agent: 'diesOnLoad' })).open();
    await say(conversation, 'go');
    await reached(conversation, ({ status }) => status.state === 'failed');
    const { status, blocker, live } = conversation.state;
    assert.equal(status.state === 'failed' && status.error.params['circuit'], 'open');
    assert.deepEqual([blocker, live], [undefined, false]);
  });
});

overCuts('an agent that was restarted and does not load the session', (line) => {
  it('loading can be stopped, and the interrupted turn can be sent again', async (t) => {
    const frontEnd = await openFrontEnd(t, line, { env: { OBEDIENT_LOADS_LATE: '1' } });
    const conversation = await frontEnd.open();
    await say(conversation, 'die 1');
    await reached(conversation, ({ status }) => status.state === 'starting' && status.awaiting === 'session');
    await run(conversation, { type: 'cancel', scope: 'everything' });
    await reached(conversation, ({ status }) => status.state === 'stopped');
    const { live, blocker, interrupted } = conversation.state;
    assert.deepEqual([live, blocker, interrupted?.content], [false, undefined, text('die 1')]);
    assert.deepEqual(said(conversation.state), ['user: die 1', 'agent: half', 'end interrupted']);
  });
});

overCuts('unsent prompts', (line) => {
  it('they are remembered until they are saved with the conversation', async (t) => {
    const records: { readonly waits: boolean; readonly isSaved: boolean }[] = [];
    const remember = ({ outbox }: ConversationRecord): void => {
      const saved = path.join(frontEnd.folder, 'saved');
      const files = existsSync(saved) ? readdirSync(saved).map((name) => readFileSync(path.join(saved, name), 'utf8')) : [];
      records.push({ waits: outbox.length > 0, isSaved: files.join('').includes('say one') });
    };
    const frontEnd = await openFrontEnd(t, line, { ports: { remember } });
    await say(await frontEnd.open(), 'say one');
    const first = records.findIndex(({ waits }) => waits);
    assert.ok(first >= 0);
    assert.deepEqual(
      records.slice(first).filter(({ waits, isSaved }) => !waits && !isSaved),
      [],
    );
    assert.deepEqual(records.at(-1), { waits: false, isSaved: true });
  });

  it('they survive the front end in order, and are sent only on demand', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const first = await frontEnd.open();
    for (const words of ['wait', 'say one', 'say two']) await run(first, { type: 'send', content: text(words) });
    await reached(first, isWaiting);
    await frontEnd.reopen();
    const second = await frontEnd.open();
    assert.deepEqual(
      second.state.outbox.map(({ content, held }) => [textIn(content), held]),
      [
        ['say one', 'turn_interrupted'],
        ['say two', 'turn_interrupted'],
      ],
    );
    await say(second, 'say new');
    assert.deepEqual(said(second.state).slice(-3), ['user: say new', 'agent: new', 'end ended']);
    assert.equal(second.state.outbox.length, 2);
    await settled(second, { type: 'release_held' });
    const expected = ['user: say one', 'agent: one', 'end ended', 'user: say two', 'agent: two', 'end ended'];
    assert.deepEqual(said(second.state).slice(-6), expected);
    assert.deepEqual(frontEnd.remembered()?.outbox, []);
  });

  it('they survive an equal prompt that was sent before', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const first = await frontEnd.open();
    for (const words of ['say one', 'wait', 'wait']) await run(first, { type: 'send', content: text(words) });
    // The agent has it: one that was not sent yet would wait again.
    await reached(first, isWaiting);
    await frontEnd.reopen();
    const second = await frontEnd.open();
    assert.deepEqual(
      second.state.outbox.map(({ content }) => textIn(content)),
      ['wait'],
    );
  });

  it('they survive a front end that was closed during the start of the agent', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const first = await frontEnd.open();
    await run(first, { type: 'send', content: text('say one') });
    await frontEnd.reopen();
    const second = await frontEnd.open();
    assert.deepEqual([heldIn(second.state), returnedIn(second.state)], [['engine_ended'], []]);
    await settled(second, { type: 'release_held' });
    assert.deepEqual(said(second.state), ['user: say one', 'agent: one', 'end ended']);
  });

  it('prompts that an earlier front end returned can still be claimed', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const first = await frontEnd.open();
    await say(first, 'say one');
    await run(first, { type: 'edit_turn', turnId: turnsOf(first.state)[0] ?? '' });
    await frontEnd.reopen();
    assert.deepEqual(returnedIn((await frontEnd.open()).state), ['say one']);
  });

  it('a prompt whose turn began before the front end was closed is not offered again', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const conversation = await frontEnd.open();
    await say(conversation, 'say one');
    const [message] = conversation.state.session?.items ?? [];
    const id = message?.kind === 'message' ? (message.promptId ?? '') : '';
    await frontEnd.reopen();
    const record = frontEnd.remembered() ?? assert.fail('nothing remembered');
    frontEnd.remember({ ...record, outbox: [{ id, content: text('say one'), at: 0, held: undefined }] });
    assert.deepEqual((await frontEnd.open()).state.outbox, []);
  });
});
