/** Branches of a conversation whose agent can fork its sessions. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type ConversationClient, type ConversationState, type EngineClient } from '../../../src/core/index.js';
import { reached, run, said, say, settled, textIn, turnsOf } from '../conversation/frontEnd.js';
import { openEngine } from '../store/engineLab.js';
import { openStoreLab, type StoreLab } from '../store/storeLab.js';

type Forks = 'message' | 'end' | 'fails';

const start = (t: TestContext, lab: StoreLab, FORKS: Forks) => openEngine(t, lab.state, { FORKS }, undefined, 'forksSessions.mjs');

/** Opens a conversation with three turns. */
async function openThree(client: EngineClient, cwd: string): Promise<ConversationClient> {
  const conversation = client.open({ cwd, id: 'one' });
  for (const words of ['one', 'two', 'three']) await say(conversation, words);
  return conversation;
}

async function branchAt(client: EngineClient, cwd: string, of: string, turnId: string | undefined): Promise<ConversationClient> {
  const result = await client.list.execute({ type: 'branch', id: of, turnId: turnId ?? assert.fail('no turn') });
  const branch = client.open({ cwd, id: (result.ok ? result.ids?.[0] : undefined) ?? assert.fail('no branch') });
  await reached(branch, ({ isRestored }) => isRestored);
  return branch;
}

const answerIn = (state: ConversationState): string => said(state).at(-2) ?? '';
const wordsOf = ({ items }: NonNullable<ConversationState['session']>): readonly string[] =>
  items.flatMap((item) => (item.kind === 'message' ? [textIn(item.content)] : []));

describe('a branch of a conversation whose agent forks sessions', () => {
  it('begins with a fork at the message before the turn, which knows nothing after it', async (t) => {
    const lab = await openStoreLab(t);
    const { client } = await start(t, lab, 'message');
    const conversation = await openThree(client, lab.workspace);
    const branch = await branchAt(client, lab.workspace, 'one', turnsOf(conversation.state)[2]);
    assert.equal(branch.state.context?.turns, 2);
    await say(branch, 'recall');
    assert.deepEqual(said(branch.state), ['user: recall', 'agent: one two (1)', 'end ended']);
    const { session, openedBy, context, earlierSessions } = branch.state;
    assert.deepEqual(
      [session?.fork, openedBy, context, session?.continues],
      ['made', 'forked', undefined, conversation.state.session?.sessionId],
    );
    assert.deepEqual(earlierSessions.map(wordsOf), [['one', 'one', 'two', 'two']]);
    // The other one goes on.
    await say(conversation, 'recall');
    assert.equal(answerIn(conversation.state), 'agent: one two three (1)');
  });

  it('goes on after the engine ended, and can be branched again on both sides of the fork', async (t) => {
    const lab = await openStoreLab(t);
    const first = await start(t, lab, 'message');
    const conversation = await openThree(first.client, lab.workspace);
    const { id } = (await branchAt(first.client, lab.workspace, 'one', turnsOf(conversation.state)[1])).state;
    await say(first.client.open({ cwd: lab.workspace, id }), 'other');
    await first.end();
    const { client } = await start(t, lab, 'message');
    const branch = client.open({ cwd: lab.workspace, id });
    await say(branch, 'recall');
    assert.equal(answerIn(branch.state), 'agent: one other (1)');
    assert.deepEqual([branch.state.session?.fork, branch.state.openedBy], ['made', 'loaded']);
    const [recalled] = turnsOf(branch.state).slice(-1);
    const later = await branchAt(client, lab.workspace, id, recalled);
    await say(later, 'recall');
    assert.equal(answerIn(later.state), 'agent: one other (1)');
    const [original] = branch.state.earlierSessions;
    const earlier = await branchAt(client, lab.workspace, id, turnsOf({ ...branch.state, session: original })[0]);
    await say(earlier, 'recall');
    assert.deepEqual([answerIn(earlier.state), earlier.state.earlierSessions], ['agent:  (1)', []]);
  });

  it('of a branch at its first message begins where that one began, and knows nothing of what the user went back from', async (t) => {
    const lab = await openStoreLab(t);
    const { client } = await start(t, lab, 'message');
    const conversation = await openThree(client, lab.workspace);
    const first = await branchAt(client, lab.workspace, 'one', turnsOf(conversation.state)[1]);
    await say(first, 'other');
    const second = await branchAt(client, lab.workspace, first.state.id, turnsOf(first.state).at(-1));
    await say(second, 'recall');
    assert.deepEqual([answerIn(second.state), second.state.session?.fork], ['agent: one (1)', 'made']);
  });

  it('is forked again if the fork was left without a message', async (t) => {
    const lab = await openStoreLab(t);
    const first = await start(t, lab, 'message');
    const conversation = await openThree(first.client, lab.workspace);
    const { id } = (await branchAt(first.client, lab.workspace, 'one', turnsOf(conversation.state)[1])).state;
    const branch = first.client.open({ cwd: lab.workspace, id });
    await run(branch, { type: 'open' });
    assert.deepEqual([branch.state.session?.fork, branch.state.context, branch.state.session?.items], ['made', undefined, []]);
    await first.end();
    const { client } = await start(t, lab, 'message');
    const again = client.open({ cwd: lab.workspace, id });
    await reached(again, ({ isRestored }) => isRestored);
    assert.equal(again.state.context?.turns, 1);
    await say(again, 'recall');
    assert.equal(answerIn(again.state), 'agent: one (1)');
  });

  it('gets the history as text if the agent can fork only at the end', async (t) => {
    const lab = await openStoreLab(t);
    const { client } = await start(t, lab, 'end');
    const conversation = await openThree(client, lab.workspace);
    const branch = await branchAt(client, lab.workspace, 'one', turnsOf(conversation.state)[2]);
    await say(branch, 'recall');
    assert.deepEqual(
      [answerIn(branch.state), branch.state.session?.fork, branch.state.openedBy],
      ['agent:  (2)', undefined, 'replacement'],
    );
  });

  it('is forked at the end of a session that another one followed', async (t) => {
    const lab = await openStoreLab(t);
    const { client } = await start(t, lab, 'end');
    const conversation = client.open({ cwd: lab.workspace, id: 'one' });
    await say(conversation, 'one');
    await run(conversation, { type: 'start_fresh', waiting: 'hold' });
    await say(conversation, 'two');
    const branch = await branchAt(client, lab.workspace, 'one', turnsOf(conversation.state).at(-1));
    await say(branch, 'recall');
    assert.deepEqual([answerIn(branch.state), branch.state.session?.fork], ['agent: one (1)', 'made']);
  });

  it('gets the history as text, with the reason, if the agent fails to fork', async (t) => {
    const lab = await openStoreLab(t);
    const { client } = await start(t, lab, 'fails');
    const conversation = client.open({ cwd: lab.workspace, id: 'one' });
    await say(conversation, 'one');
    await run(conversation, { type: 'start_fresh', waiting: 'hold' });
    await say(conversation, 'two');
    const branch = await branchAt(client, lab.workspace, 'one', turnsOf(conversation.state).at(-1));
    await run(branch, { type: 'open' });
    const { session, context } = branch.state;
    assert.ok(session?.fork !== undefined && session.fork !== 'made');
    assert.deepEqual([session.fork.code, session.fork.params.detail, context?.turns], ['request_failed', 'The file is broken', 1]);
    await settled(branch, { type: 'send', content: [{ type: 'text', text: 'recall' }] });
    assert.equal(answerIn(branch.state), 'agent:  (2)');
  });

  it('gets nothing of the history if the user removed it from the next message', async (t) => {
    const lab = await openStoreLab(t);
    const { client } = await start(t, lab, 'message');
    const conversation = await openThree(client, lab.workspace);
    const branch = await branchAt(client, lab.workspace, 'one', turnsOf(conversation.state)[2]);
    await run(branch, { type: 'clear_context' });
    await say(branch, 'recall');
    assert.deepEqual([answerIn(branch.state), branch.state.session?.fork], ['agent:  (1)', undefined]);
  });
});
