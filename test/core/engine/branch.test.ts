/** Conversations that begin in the middle of another one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isContextBlock, messageFilesIn, messageFolder } from '../../../src/core/index.js';
import { reached, returnedIn, run, said, say, settled, turnsOf } from '../conversation/frontEnd.js';
import { limitFiles } from '../journal/journalLab.js';
import { openEngine } from '../store/engineLab.js';
import { openStoreLab, record, summary, writeJournal } from '../store/storeLab.js';

describe('a branch of a conversation', () => {
  it('has everything before the turn, and leaves the other one as it is', async (t) => {
    const lab = await openStoreLab(t);
    const { client } = await openEngine(t, lab.state);
    const where = { cwd: lab.workspace, id: 'one' };
    const conversation = client.open(where);
    for (const words of ['say one', 'say two', 'say three']) await say(conversation, words);
    const before = said(conversation.state);
    const [, second = ''] = turnsOf(conversation.state);
    const result = await client.list.execute({ type: 'branch', id: 'one', turnId: second });
    const [id = assert.fail('no branch')] = result.ok ? (result.ids ?? []) : [];
    const branch = client.open({ ...where, id });
    await reached(branch, ({ isRestored }) => isRestored);
    const [earlier = assert.fail('nothing before'), ...others] = branch.state.earlierSessions;
    assert.deepEqual([said({ ...branch.state, session: earlier }), others], [['user: say one', 'agent: one', 'end ended'], []]);
    assert.deepEqual([returnedIn(branch.state), branch.state.session, branch.state.context?.turns], [[], undefined, 1]);
    await settled(branch, { type: 'send', content: [{ type: 'text', text: 'say other' }] });
    const [prompt] = branch.state.session?.items ?? [];
    assert.deepEqual(prompt?.kind === 'message' && prompt.content.map((block) => isContextBlock(block)), [true, false]);
    assert.deepEqual(said(conversation.state), before);
    const listed = new Map(client.list.state.conversations.map((one) => [one.id, one.isBranch]));
    assert.deepEqual(
      listed,
      new Map([
        ['one', false],
        [id, true],
      ]),
    );
  });

  it('before the first turn, it is empty', async (t) => {
    const lab = await openStoreLab(t);
    const { client } = await openEngine(t, lab.state);
    const where = { cwd: lab.workspace, id: 'one' };
    const conversation = client.open(where);
    await say(conversation, 'say one');
    const [turnId = ''] = turnsOf(conversation.state);
    const result = await client.list.execute({ type: 'branch', id: 'one', turnId });
    const branch = client.open({ ...where, id: (result.ok ? result.ids?.[0] : undefined) ?? assert.fail('no branch') });
    await reached(branch, (state) => state.isRestored && state.agent !== undefined);
    const { earlierSessions, context, agent } = branch.state;
    assert.deepEqual([returnedIn(branch.state), earlierSessions, context, agent?.id], [[], [], undefined, 'obedient']);
    await say(branch, 'say two');
    assert.deepEqual(
      client.list.state.conversations.map(({ isBranch }) => isBranch),
      [false, false],
    );
  });

  it('is not listed if the disk is full', { skip: process.platform !== 'linux' && 'only Linux can limit the files' }, async (t) => {
    const { state, workspace, open } = await openStoreLab(t);
    const store = open();
    await writeJournal(store, workspace, 'one', 'hello '.repeat(1_000));
    store.remember('one', workspace, record(), summary('hello'));
    await messageFilesIn(messageFolder(state))('one', Buffer.from('picture'), 'png');
    limitFiles(2_000);
    try {
      const branch = store.branch({ id: 'two', cwd: workspace, of: 'one', turnId: 'later', fork: undefined });
      await assert.rejects(branch, { code: 'storage_failed' });
    } finally {
      limitFiles('unlimited');
    }
    const later = open();
    await later.load();
    for (const { listed } of [store, later])
      assert.deepEqual(
        listed.map(({ id }) => id),
        ['one'],
      );
  });

  it('is refused for a turn that is not in the conversation, or a conversation that is not open', async (t) => {
    const lab = await openStoreLab(t);
    const { client } = await openEngine(t, lab.state);
    const conversation = client.open({ cwd: lab.workspace, id: 'one' });
    await run(conversation, { type: 'open' });
    for (const [id, reason] of [
      ['one', 'turn_unknown'],
      ['two', 'conversation_unknown'],
    ] as const) {
      const result = await client.list.execute({ type: 'branch', id, turnId: 'none' });
      assert.equal(!result.ok && result.error.params.reason, reason);
    }
  });
});
