/** A conversation that begins with a session of which only the agent has the messages, and which conversation has a session. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import type { ConversationPorts } from '../../../src/core/index.js';
import { openStoreLab } from '../store/storeLab.js';
import { forgetful, heldIn, keyOf, lines, openFrontEnd, overCuts, reached, run, said, say, settled } from './frontEnd.js';

const foreign = { agentId: 'obedient', sessionId: 'of-another-program' };
const replayed = ['user: old prompt', 'agent: old answer'];

overCuts('a conversation that begins with a session of the agent', (line) => {
  it('it starts no agent to be shown, and the first prompt goes on after what the agent replays', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const conversation = await frontEnd.open('one', { session: foreign });
    assert.deepEqual([conversation.state.session, frontEnd.started], [undefined, []]);
    await say(conversation, 'say hi');
    assert.deepEqual(said(conversation.state), [...replayed, 'user: say hi', 'agent: hi', 'end ended']);
    assert.deepEqual([keyOf(conversation), conversation.state.openedBy], [foreign, 'loaded']);
    assert.deepEqual(conversation.state.earlierSessions, []);
  });

  it('it is saved with what the agent replayed, and begins only once', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    await run(await frontEnd.open('one', { session: foreign }), { type: 'open' });
    await frontEnd.reopen();
    const again = await frontEnd.open('one', { session: { ...foreign, sessionId: 'unknown' } });
    assert.deepEqual([said(again.state), frontEnd.started.length], [replayed, 1]);
    await say(again, 'say hi');
    assert.deepEqual(said(again.state), [...replayed, 'user: say hi', 'agent: hi', 'end ended']);
    assert.deepEqual(keyOf(again), foreign);
  });

  it('it is still at that session if it was closed before the agent opened it', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    await frontEnd.open('one', { session: foreign });
    await frontEnd.reopen();
    const again = await frontEnd.open();
    await say(again, 'say hi');
    assert.deepEqual(said(again.state), [...replayed, 'user: say hi', 'agent: hi', 'end ended']);
  });

  it('one that the agent does not know is reported, and only the user begins another one', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open('one', { session: { ...foreign, sessionId: 'unknown' } });
    await say(conversation, 'say hi');
    const { blocker, session } = conversation.state;
    assert.ok(blocker?.type === 'resume_refused');
    assert.deepEqual([blocker.sessionId, blocker.offer, session], ['unknown', undefined, undefined]);
    assert.deepEqual(heldIn(conversation.state), [undefined]);
    await settled(conversation, { type: 'start_fresh', waiting: 'send' });
    assert.deepEqual(said(conversation.state), ['user: say hi', 'agent: hi', 'end ended']);
    assert.equal(keyOf(conversation).sessionId, 's1');
  });

  it('its agent cannot be changed, because the session belongs to that one', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open('one', { session: foreign });
    const result = await conversation.execute({ type: 'change_agent' });
    assert.ok(!result.ok);
    assert.equal(result.error.params.reason, 'agent_bound');
    await say(conversation, 'say hi');
    assert.deepEqual(said(conversation.state).slice(0, 2), replayed);
  });

  it('a replay that was cut off because the agent was lost is shown only once it is complete', async (t) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'acp-host-cut-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const env = { DIES_ONCE: path.join(folder, 'died') };
    const frontEnd = await openFrontEnd(t, line, { agent: 'replaysAfterLoad', env });
    const conversation = await frontEnd.open('one', { session: foreign });
    assert.equal((await conversation.execute({ type: 'open' })).ok, false);
    await run(conversation, { type: 'open' });
    const whole = ['user: first', 'tool', 'agent: answer to first', 'user: second', 'tool', 'agent: answer to second'];
    await reached(conversation, (state) => said(state).length >= whole.length);
    assert.deepEqual([said(conversation.state), conversation.state.earlierSessions], [whole, []]);
    await frontEnd.reopen();
    const { state } = await frontEnd.open();
    assert.deepEqual([said(state), state.earlierSessions], [whole, []]);
  });
});

overCuts('the conversation of a session', (line) => {
  it('it is found while it is open, before and after the agent has the session', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const find = (sessionId: string, agentId = 'obedient') => frontEnd.conversations.find({ agentId, sessionId });
    assert.equal(find(foreign.sessionId), undefined);
    const [named, other] = [await frontEnd.open('named', { session: foreign }), await frontEnd.open('other')];
    assert.equal(find(foreign.sessionId), 'named');
    await say(named, 'say hi');
    await say(other, 'say hi');
    assert.deepEqual(
      [foreign.sessionId, keyOf(other).sessionId, 'unknown'].map((id) => find(id)),
      ['named', 'other', undefined],
    );
    assert.equal(find(foreign.sessionId, 'another'), undefined);
  });

  it('it is found by a session that it continued from', async (t) => {
    const frontEnd = await openFrontEnd(t, line, { env: forgetful });
    const conversation = await frontEnd.open();
    await say(conversation, 'die 1');
    await reached(conversation, ({ blocker }) => blocker?.type === 'resume_refused');
    const first = keyOf(conversation);
    await run(conversation, { type: 'start_fresh', waiting: 'hold' });
    const second = keyOf(conversation);
    assert.notDeepEqual(second, first);
    assert.deepEqual([frontEnd.conversations.find(first), frontEnd.conversations.find(second)], ['one', 'one']);
  });
});

it('a closed conversation is found by its session, and by the one that it continued from, if it is saved', async (t) => {
  const store = (await openStoreLab(t)).open();
  const ports: Partial<ConversationPorts> = {
    recall: () => store.recall('one'),
    remember: (record, summary) => store.remember('one', frontEnd.folder, record, summary),
  };
  const frontEnd = await openFrontEnd(t, lines[0] ?? assert.fail(), { env: forgetful, ports, library: store });
  const conversation = await frontEnd.open();
  await say(conversation, 'die 1');
  await reached(conversation, ({ blocker }) => blocker?.type === 'resume_refused');
  const first = keyOf(conversation);
  await run(conversation, { type: 'start_fresh', waiting: 'hold' });
  await say(conversation, 'say hi');
  const second = keyOf(conversation);
  await frontEnd.conversations.close('one');
  const { conversations } = frontEnd;
  assert.deepEqual(
    [first, second, { ...first, agentId: 'another' }].map((key) => conversations.find(key)),
    ['one', 'one', undefined],
  );
});
