import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ConversationStore } from '../../../src/core/store/conversationStore.js';
import { reached, run } from '../conversation/frontEnd.js';
import { openEngine } from './engineLab.js';
import { drafted, openStoreLab, place, record, summary, wordsOf, writeJournal } from './storeLab.js';

const prompt = { id: 'p1', at: 1, content: [{ type: 'text', text: 'first message' }], held: undefined } as const;

describe('a saved conversation', () => {
  it('its place, prompts, draft, title and marks come back after a restart', async (t) => {
    const lab = await openStoreLab(t);
    const first = lab.open();
    await writeJournal(first, lab.workspace, 's1', 'hello');
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

  it('it stays one conversation until the session in which it continues is opened', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    const before = { earlier: [{ sessionId: 's1', createdAt: 5 }] };
    await writeJournal(store, lab.workspace, 's1', 'first');
    store.remember('one', lab.workspace, record({ place: place('s1') }), summary('first', { turn: 'interrupted' }));
    store.change('one', lab.workspace, { title: 'Mine' });
    store.remember('one', lab.workspace, record(), summary('first', before));
    await store.load();
    assert.deepEqual(
      store.listed.map((saved) => [saved.title, saved.place?.sessionId]),
      [['Mine', 's1']],
    );
    await writeJournal(store, lab.workspace, 's2', 'second');
    store.remember('one', lab.workspace, record({ place: { ...place('s2'), continues: 's1' } }), summary('first', before));
    const other = lab.open();
    await other.load();
    assert.deepEqual(
      other.listed.map((saved) => [saved.title, saved.place?.sessionId, saved.summary?.earlier]),
      [['Mine', 's2', before.earlier]],
    );
  });

  it('what is unsent in a second entry for the same session is merged into it', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    await writeJournal(store, lab.workspace, 's1', 'hello');
    store.remember('twin', lab.workspace, record({ place: place('s1'), outbox: [prompt], ...drafted('half a thought') }), summary('hello'));
    store.change('one', lab.workspace, { title: 'Mine' });
    store.change('one', lab.workspace, { isPinned: true });
    store.remember('one', lab.workspace, record({ place: place('s1'), ...drafted('another thought') }), summary('hello'));
    const later = lab.open();
    assert.deepEqual([later.get('one')?.title, later.get('one')?.isPinned], ['Mine', true]);
    const { outbox, returned = [], draft } = later.recall('one') ?? {};
    assert.deepEqual(outbox, [prompt]);
    assert.deepEqual(
      returned.map(({ content }) => content),
      [[{ type: 'text', text: 'half a thought' }]],
    );
    assert.deepEqual([draft?.text, later.recall('twin')], ['another thought', undefined]);
  });

  it('it is listed with its real folder, whatever path leads there', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    const link = `${lab.workspace}-link`;
    await symlink(lab.workspace, link);
    await writeJournal(store, link, 's1', 'hello');
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
    await writeJournal(store, lab.workspace, 's1', 'hello');
    store.remember('one', lab.workspace, record({ place: place('s1'), outbox: [prompt], ...drafted('x') }), summary('hello'));
    store.folders.remember(lab.workspace, { shown: 'one' });
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

  it('an incomplete, foreign or newer file affects only itself and is left unchanged', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    await writeJournal(store, lab.workspace, 's1', 'hello');
    store.remember('one', lab.workspace, record({ place: place('s1') }), summary('hello'));
    const folder = join(lab.state, 'conversations');
    const newer = (await readFile(join(folder, 'one.json'), 'utf8')).replace('"version":1', '"version":99');
    await writeFile(join(folder, 'newer.json'), newer);
    await writeFile(join(folder, 'torn.json'), '{"format":"acp-host-conv');
    await mkdir(join(folder, 'folder.json'));
    const other = lab.open();
    await other.load();
    assert.deepEqual(wordsOf(other), ['hello']);
    other.change('newer', lab.workspace, { title: 'x' });
    assert.equal(await readFile(join(folder, 'newer.json'), 'utf8'), newer);
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
    await writeJournal(store, lab.workspace, 's1', 'first message');
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
      await writeJournal(store, lab.workspace, id, id);
      store.remember(id, lab.workspace, record({ place: place(id), outbox: [prompt], ...drafted(id) }), summary(id));
    }
    assert.equal(store.delete('gone'), true);
    assert.deepEqual([wordsOf(store), store.get('gone'), store.isDeleted('gone')], [['stays'], undefined, true]);
    return store;
  }
  const journalsIn = async (state: string): Promise<number> => (await readdir(join(state, 'journal'))).length;

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

describe('a journal without an entry', () => {
  it('it is listed once per chain of sessions, with its first words and the same id after a restart', async (t) => {
    const lab = await openStoreLab(t);
    const one = lab.open();
    await writeJournal(one, lab.workspace, 's1', 'first', 5);
    const journal = one.journals.begin({ sessionId: 's2', agentId: 'agent', cwd: lab.workspace, createdAt: 6 });
    journal.append([
      { type: 'opened', at: 6, cwd: lab.workspace, by: 'replacement', continues: 's1' },
      { type: 'turn_started', at: 6, turnId: 't1', content: [{ type: 'text', text: 'second' }] },
    ]);
    await journal.close();
    await one.load();
    assert.deepEqual(wordsOf(one), ['first']);
    const [found] = one.listed;
    assert.deepEqual([found?.place?.sessionId, found?.summary?.earlier], ['s2', [{ sessionId: 's1', createdAt: 5 }]]);
    const later = lab.open();
    await later.load();
    assert.deepEqual(later.listed, one.listed);
  });

  it('it is kept if a conversation leaves it for another session', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    await writeJournal(store, lab.workspace, 's1', 'first');
    await writeJournal(store, lab.workspace, 's2', 'second');
    store.remember('one', lab.workspace, record({ place: place('s1') }), summary('first'));
    store.change('one', lab.workspace, { title: 'Mine' });
    store.remember('one', lab.workspace, record(), undefined);
    store.remember('one', lab.workspace, record({ place: place('s2') }), summary('second'));
    await store.load();
    assert.deepEqual(store.listed.map((saved) => [saved.title, saved.summary?.firstWords]).sort(), [
      [undefined, 'second'],
      ['Mine', 'first'],
    ]);
  });

  it('it is no longer listed after it was removed to free space', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    store.remember('one', lab.workspace, record({ place: place('s1') }), summary('first'));
    await store.load();
    assert.deepEqual(wordsOf(store), []);
  });

  it('it is listed as interrupted if its last turn has no end', async (t) => {
    const lab = await openStoreLab(t);
    const writer = lab.open();
    await writeJournal(writer, lab.workspace, 'whole', 'ended');
    const answer = (text: string) => ({ type: 'message', at: 6, role: 'agent', content: { type: 'text', text } }) as const;
    const cut = writer.journals.begin({ sessionId: 'cut', agentId: 'agent', cwd: lab.workspace, createdAt: 5 });
    cut.append([{ type: 'turn_started', at: 5, turnId: 't1', content: [{ type: 'text', text: 'cut' }] }]);
    // Enough text that the beginning of the turn is far from the end of the file.
    cut.append(Array.from({ length: 2_000 }, (_, index) => answer(`part ${index} of an answer that says "turn_ended". `)));
    await cut.close();
    const store = lab.open();
    await store.load();
    assert.deepEqual(store.listed.map(({ summary }) => [summary?.firstWords, summary?.turn]).sort(), [
      ['cut', 'interrupted'],
      ['ended', 'idle'],
    ]);
  });
});
