import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { wordsOf as firstWordsOf } from '../../../src/core/conversation/conversationList.js';
import type { ConversationStore } from '../../../src/core/store/conversationStore.js';
import { forgetful, reached, run, say, settled } from '../conversation/frontEnd.js';
import { openEngine, send } from './engineLab.js';
import { drafted, openStoreLab, place, record, summary, wordsOf, writeJournal } from './storeLab.js';

const prompt = { id: 'p1', at: 1, content: [{ type: 'text', text: 'first message' }], held: undefined } as const;

describe('a saved conversation', () => {
  it('its place, prompts, draft, title and marks come back after a restart', async (t) => {
    const lab = await openStoreLab(t);
    const first = lab.open();
    await writeJournal(first, lab.workspace, 'one', 'hello');
    const kept = record({ place: place('s1'), outbox: [prompt], ...drafted('half a thought') });
    first.remember('one', lab.workspace, kept, summary('hello'));
    first.change('one', lab.workspace, { title: 'Mine' });
    first.change('one', lab.workspace, { isPinned: true });
    first.change('one', lab.workspace, { isUnread: true });
    first.change('one', lab.workspace, { leavesOutOpenFile: true });
    const second = lab.open();
    await second.load();
    assert.deepEqual(second.recall('one'), kept);
    const [saved] = second.listed;
    assert.deepEqual([saved?.title, saved?.isPinned, saved?.isArchived, saved?.summary], ['Mine', true, false, summary('hello')]);
    assert.deepEqual([saved?.isUnread, saved?.leavesOutOpenFile], [true, true]);
  });

  it('it stays one conversation when it continues in another session', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    const restarted = async (): Promise<readonly unknown[]> => {
      const other = lab.open();
      await other.load();
      return other.listed.map((saved) => [saved.title, saved.place, saved.summary?.earlier]);
    };
    await writeJournal(store, lab.workspace, 'one', 'first');
    // The next message begins another session.
    const over = { ...place('s1'), over: 'first', withContext: true };
    store.remember('one', lab.workspace, record({ place: over }), summary('first', { turn: 'interrupted' }));
    store.change('one', lab.workspace, { title: 'Mine' });
    assert.deepEqual(await restarted(), [['Mine', over, []]]);
    await writeJournal(store, lab.workspace, 'one', 'second', { sessionId: 's2', createdAt: 6 });
    store.remember('one', lab.workspace, record({ place: place('s2') }), summary('first', { earlier: ['s1'] }));
    assert.deepEqual(await restarted(), [['Mine', place('s2'), ['s1']]]);
  });

  it('two whose agent gave them the same session id stay two', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    let now = 5;
    t.mock.method(Date, 'now', () => now++);
    for (const id of ['one', 'two']) {
      await writeJournal(store, lab.workspace, id, `hello from ${id}`);
      store.remember(id, lab.workspace, record({ place: place('s1'), ...drafted(`draft of ${id}`) }), summary(`hello from ${id}`));
    }
    assert.equal(store.find({ agentId: 'agent', sessionId: 's1' })?.id, 'two', 'the newest one');
    store.change('one', lab.workspace, { title: 'Mine' });
    const later = lab.open();
    await later.load();
    assert.deepEqual(later.listed.map(({ id, title, summary: its }) => [id, title, its?.firstWords]).sort(), [
      ['one', 'Mine', 'hello from one'],
      ['two', undefined, 'hello from two'],
    ]);
    for (const id of ['one', 'two']) assert.equal(later.recall(id)?.draft.text, `draft of ${id}`);
  });

  it('it is listed with its real folder, whatever path leads there', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    const link = `${lab.workspace}-link`;
    await symlink(lab.workspace, link);
    await writeJournal(store, link, 'one', 'hello');
    store.remember('one', link, record({ place: place('s1') }), summary('hello'));
    await store.load();
    assert.deepEqual(
      store.listed.map(({ id, cwd, folder }) => [id, cwd, folder]),
      [['one', link, lab.workspace]],
    );
  });

  it('its files can be read by their owner only', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    await writeJournal(store, lab.workspace, 'one', 'hello');
    store.remember('one', lab.workspace, record({ place: place('s1'), outbox: [prompt], ...drafted('x') }), summary('hello'));
    const facts = { shown: 'one', shownAt: 1, agentId: undefined, mayActUnasked: false };
    store.folders.update('here', () => ({ key: lab.workspace, facts }));
    for (const entry of await readdir(lab.state, { recursive: true, withFileTypes: true })) {
      const { mode } = await stat(join(entry.parentPath, entry.name));
      assert.equal((mode & 0o777).toString(8), entry.isDirectory() ? '700' : '600', entry.name);
    }
    assert.equal(((await stat(lab.state)).mode & 0o777).toString(8), '700');
  });

  it('secrets do not appear in its list entry', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    store.remember('one', lab.workspace, record({ place: place('s1') }), summary(`use sk-ant-${'a1b2'.repeat(20)}`));
    assert.doesNotMatch(await readFile(join(lab.state, 'conversations/one.json'), 'utf8'), /a1b2a1b2/);
  });

  it('an incomplete, foreign, older or newer file affects only itself and is left unchanged', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    await writeJournal(store, lab.workspace, 'one', 'hello');
    store.remember('one', lab.workspace, record({ place: place('s1') }), summary('hello'));
    const folder = join(lab.state, 'conversations');
    const own = await readFile(join(folder, 'one.json'), 'utf8');
    const others = { newer: own.replace('"version":2', '"version":99'), older: own.replace('"version":2', '"version":1') };
    for (const [name, text] of Object.entries(others)) await writeFile(join(folder, `${name}.json`), text);
    await writeFile(join(folder, 'torn.json'), '{"format":"acp-host-conv');
    await mkdir(join(folder, 'folder.json'));
    const other = lab.open();
    await other.load();
    assert.deepEqual(wordsOf(other), ['hello']);
    for (const [name, text] of Object.entries(others)) {
      assert.notEqual(text, own);
      other.change(name, lab.workspace, { title: 'x' });
      assert.equal(await readFile(join(folder, `${name}.json`), 'utf8'), text);
    }
  });
});

describe('a conversation without messages', () => {
  it('it is listed after a restart as long as it has a draft or an unsent prompt', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    const keep = (id: string, o: Parameters<typeof record>[0]): void => store.remember(id, lab.workspace, record(o), undefined);
    keep('draft', drafted('half a thought'));
    keep('held', { outbox: [prompt] });
    keep('returned', { returned: [prompt] });
    keep('blank', {});
    const listed = async (): Promise<readonly unknown[]> => {
      const later = lab.open();
      await later.load();
      return later.listed.map(({ id, unsentWords }) => [id, unsentWords]);
    };
    assert.deepEqual((await listed()).toSorted(), [
      ['draft', 'half a thought'],
      ['held', 'first message'],
      ['returned', 'first message'],
    ]);
    keep('draft', drafted(' '));
    keep('held', {});
    store.remember('returned', lab.workspace, record({ place: place('s1') }), summary('first message'));
    await writeJournal(store, lab.workspace, 'returned', 'first message');
    assert.deepEqual(await listed(), [['returned', undefined]]);
  });

  it('it is in the list and can be opened again', async (t) => {
    const lab = await openStoreLab(t);
    const first = await openEngine(t, lab.state);
    const one = { cwd: lab.workspace, id: 'one' };
    await run(first.client.open(one), { type: 'write_draft', text: 'half a thought' });
    await first.end();
    const { client } = await openEngine(t, lab.state);
    const rows = (): readonly unknown[] =>
      client.list.state.conversations.map(({ id, firstWords, activity }) => [id, firstWords, activity]);
    assert.deepEqual(rows(), [['one', 'half a thought', 'saved']]);
    await reached(client.open(one), ({ draft }) => draft.text === 'half a thought');
    assert.deepEqual(rows(), [['one', 'half a thought', 'idle']]);
  });

  it('it can be renamed, deleted and restored like others', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    const draft = (text: string): void => store.remember('one', lab.workspace, record(drafted(text)), undefined);
    draft('half a thought');
    assert.equal(store.delete('one'), true);
    draft('');
    assert.deepEqual(store.listed, []);
    assert.equal(store.restore('one'), true);
    store.change('one', lab.workspace, { title: 'Mine' });
    draft('');
    assert.equal(lab.open().get('one')?.title, 'Mine');
    draft(`use sk-ant-${'a1b2'.repeat(20)}`);
    assert.doesNotMatch(await readFile(join(lab.state, 'conversations/one.json'), 'utf8'), /a1b2a1b2/);
  });
});

describe('a deleted conversation', () => {
  /** Two conversations, of which `gone` is deleted. */
  async function openWithDeleted(lab: Awaited<ReturnType<typeof openStoreLab>>): Promise<ConversationStore> {
    const store = lab.open();
    await store.load();
    for (const id of ['gone', 'stays']) {
      await writeJournal(store, lab.workspace, id, id, { sessionId: id });
      store.remember(id, lab.workspace, record({ place: place(id), outbox: [prompt], ...drafted(id) }), summary(id));
    }
    assert.equal(store.delete('gone'), true);
    assert.deepEqual([wordsOf(store), store.get('gone'), store.isDeleted('gone')], [['stays'], undefined, true]);
    return store;
  }
  const journalsIn = async (state: string): Promise<number> => (await readdir(join(state, 'journals'))).length;

  it('it can be restored until the engine ends', async (t) => {
    const lab = await openStoreLab(t);
    const store = await openWithDeleted(lab);
    assert.equal(await journalsIn(lab.state), 2);
    assert.equal(store.restore('gone'), true);
    await store.end();
    const later = lab.open();
    await later.load();
    assert.deepEqual([wordsOf(later), later.recall('gone')?.draft.text], [['gone', 'stays'], 'gone']);
  });

  it('it is removed with everything of it when the engine ends', async (t) => {
    const lab = await openStoreLab(t);
    await (await openWithDeleted(lab)).end();
    assert.equal(await journalsIn(lab.state), 1);
    for (const kind of ['conversations', 'drafts', 'unsent']) assert.equal(existsSync(join(lab.state, kind, 'gone.json')), false, kind);
  });

  it('if the engine was killed, it is removed by the next one', async (t) => {
    const lab = await openStoreLab(t);
    await openWithDeleted(lab);
    const later = lab.open();
    await later.load();
    assert.deepEqual([wordsOf(later), later.recall('gone'), await journalsIn(lab.state)], [['stays'], undefined, 1]);
  });
});

describe('a conversation that the engine did not list before it was killed', () => {
  it('it is listed under its own id with its first words, agent, place and earlier sessions, and so after a restart', async (t) => {
    const lab = await openStoreLab(t);
    const writer = lab.open();
    await writeJournal(writer, lab.workspace, 'one', 'first', { agentId: 'demo' });
    await writeJournal(writer, lab.workspace, 'one', 'second', { agentId: 'demo', sessionId: 's2', createdAt: 6 });
    const store = lab.open();
    await store.load();
    const found = store.get('one');
    assert.deepEqual([found?.id, found?.cwd, found?.folder, found?.createdAt], ['one', lab.workspace, lab.workspace, 5]);
    assert.deepEqual(found?.place, { agentId: 'demo', sessionId: 's2', over: undefined, withContext: false });
    assert.deepEqual(found?.summary, {
      agent: { id: 'demo', label: 'Demo agent' },
      agentTitle: undefined,
      firstWords: 'first',
      usedAt: 6,
      turn: 'idle',
      earlier: ['s1'],
    });
    assert.deepEqual([found?.title, found?.unsentWords, found?.isPinned, found?.isArchived], [undefined, undefined, false, false]);
    assert.deepEqual(store.listed, [found]);
    const later = lab.open();
    await later.load();
    assert.deepEqual(later.listed, store.listed);
  });

  it('it is interrupted if its last turn has no end', async (t) => {
    const lab = await openStoreLab(t);
    const writer = lab.open();
    await writeJournal(writer, lab.workspace, 'whole', 'cut', { isEnded: false });
    await writeJournal(writer, lab.workspace, 'whole', 'whole', { sessionId: 's2', createdAt: 6 });
    const answer = (text: string) => ({ type: 'message', at: 6, role: 'agent', content: { type: 'text', text } }) as const;
    await writeJournal(writer, lab.workspace, 'cut', 'whole');
    const cut = writer.journals.open('cut', { id: 's2', sessionId: 's2', agentId: 'agent', cwd: lab.workspace, createdAt: 6 }, true);
    cut.append([{ type: 'turn_started', at: 5, turnId: 't1', content: [{ type: 'text', text: 'cut' }] }]);
    // Enough text that the beginning of the turn is far from the end of the file.
    cut.append(Array.from({ length: 2_000 }, (_, index) => answer(`part ${index} of an answer that says "turn_ended". `)));
    await cut.close();
    const store = lab.open();
    await store.load();
    assert.deepEqual(store.listed.map(({ id, summary: its }) => [id, its?.turn]).sort(), [
      ['cut', 'interrupted'],
      ['whole', 'idle'],
    ]);
  });

  it('it keeps what was saved of it before its first message: its name, marks and draft', async (t) => {
    const lab = await openStoreLab(t);
    const writer = lab.open();
    writer.remember('one', lab.workspace, record(drafted('half a thought')), undefined);
    writer.change('one', lab.workspace, { title: 'Mine' });
    writer.change('one', lab.workspace, { isPinned: true });
    await writeJournal(writer, lab.workspace, 'one', 'hello');
    const store = lab.open();
    await store.load();
    const [found, ...others] = store.listed;
    assert.deepEqual([found?.id, found?.title, found?.isPinned, found?.summary?.firstWords, others], ['one', 'Mine', true, 'hello', []]);
    assert.equal(found?.unsentWords, undefined, 'it has messages by which it is known');
    assert.deepEqual(store.recall('one'), record({ place: place('s1'), ...drafted('half a thought') }));
  });

  it('it is listed as if the engine had ended in order', async (t) => {
    const lab = await openStoreLab(t);
    const one = { cwd: lab.workspace, id: 'one' };
    const first = await openEngine(t, lab.state, forgetful);
    await say(first.client.open(one), 'say one');
    await first.end();
    const second = await openEngine(t, lab.state, forgetful);
    const again = second.client.open(one);
    await again.execute(send('say two'));
    await reached(again, ({ blocker }) => blocker !== undefined);
    await settled(again, { type: 'start_fresh', waiting: 'send' });
    await second.end();
    const listed = async (): Promise<readonly unknown[]> => {
      const store = lab.open();
      await store.load();
      return store.listed.map(({ id, cwd, folder, place: its, summary: seen }) => {
        const { firstWords, turn, earlier } = seen ?? assert.fail('it has messages');
        return { id, cwd, folder, place: its, firstWords, turn, earlier };
      });
    };
    const before = await listed();
    assert.deepEqual(
      lab
        .open()
        .get('one')
        ?.summary?.earlier.map((sessionId) => sessionId.endsWith('-1')),
      [true],
      'it has a session before the last one',
    );
    await rm(join(lab.state, 'conversations', 'one.json'));
    assert.deepEqual(await listed(), before);
  });

  it('its first words are no longer than those of others', async (t) => {
    const lab = await openStoreLab(t);
    const words = 'one word after another '.repeat(5_000);
    await writeJournal(lab.open(), lab.workspace, 'one', words);
    const store = lab.open();
    await store.load();
    assert.deepEqual(wordsOf(store), [firstWordsOf([{ type: 'text', text: words }])]);
  });

  it('it is found by its session, and by one that it has left', async (t) => {
    const lab = await openStoreLab(t);
    const writer = lab.open();
    await writeJournal(writer, lab.workspace, 'one', 'first');
    await writeJournal(writer, lab.workspace, 'one', 'second', { sessionId: 's2', createdAt: 6 });
    await writeJournal(writer, lab.workspace, 'other', 'third', { sessionId: 's3' });
    const store = lab.open();
    await store.load();
    const found = (sessionId: string, agentId = 'agent'): string | undefined => store.find({ agentId, sessionId })?.id;
    assert.deepEqual([found('s1'), found('s2'), found('s4'), found('s1', 'other')], ['one', 'one', undefined, undefined]);
  });

  it('a journal that cannot be read keeps no other one out of the list', async (t) => {
    const lab = await openStoreLab(t);
    const writer = lab.open();
    for (const id of ['one', 'newer']) await writeJournal(writer, lab.workspace, id, id);
    const file = join(lab.state, 'journals', 'newer.jsonl');
    await writeFile(file, (await readFile(file, 'utf8')).replace(/"version":\d+/, '"version":99'));
    await writeFile(join(lab.state, 'journals', 'torn.jsonl'), '{"format":"acp-host-jou');
    const store = lab.open();
    await store.load();
    assert.deepEqual(wordsOf(store), ['one']);
  });
});
