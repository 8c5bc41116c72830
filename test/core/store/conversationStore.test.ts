import assert from 'node:assert/strict';
import fs from 'node:fs';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ConversationStore } from '../../../src/core/store/conversationStore.js';
import { openLibraryHost } from './libraryHost.js';
import { nothing, openStoreLab, place, summary, until, wordsOf, writeJournal } from './storeLab.js';

describe('a saved conversation', () => {
  it('the next process finds its place, prompts, draft, title and marks', async (t) => {
    const lab = await openStoreLab(t);
    const first = lab.open();
    const prompt = { id: 'p1', at: 1, content: [{ type: 'text', text: 'later' }], held: undefined } as const;
    await writeJournal(first, lab.workspace, 's1', 'hello');
    first.remember('one', lab.workspace, { place: place('s1'), outbox: [prompt], returned: [] }, summary('hello'));
    first.writeDraft('one', lab.workspace, 'half a thought');
    first.change('one', lab.workspace, { title: 'Mine' });
    first.change('one', lab.workspace, { isPinned: true });
    first.change('one', lab.workspace, { isUnread: true });
    first.change('one', lab.workspace, { leavesOutOpenFile: true });
    const second = lab.open();
    await second.load();
    assert.deepEqual(await second.recall('one'), { place: place('s1'), outbox: [prompt], returned: [] });
    assert.equal(second.readDraft('one'), 'half a thought');
    const [saved] = second.inFolders([lab.workspace]);
    assert.deepEqual([saved?.title, saved?.isPinned, saved?.isArchived, saved?.summary], ['Mine', true, false, summary('hello')]);
    assert.deepEqual([saved?.isUnread, saved?.leavesOutOpenFile], [true, true]);
  });

  it('if two processes have queued prompts in it, one that sends its own keeps those of the other', async (t) => {
    const lab = await openStoreLab(t);
    const prompt = (id: string) => ({ id, at: 1, content: [{ type: 'text', text: id }], held: undefined }) as const;
    const keep = (store: ConversationStore, ...ids: readonly string[]): void =>
      store.remember('one', lab.workspace, { place: place('s1'), outbox: ids.map(prompt), returned: [] }, summary('hello'));
    const [first, second] = [lab.open(), lab.open()];
    keep(first, 'mine');
    keep(second, 'yours', 'too');
    keep(second, 'too');
    const idsIn = async (store: ConversationStore): Promise<readonly string[]> =>
      ((await store.recall('one'))?.outbox ?? []).map(({ id }) => id).sort();
    assert.deepEqual(await idsIn(lab.open()), ['mine', 'too']);
    keep(first);
    assert.deepEqual(await idsIn(lab.open()), ['too']);
    // After a crash, the process that reads them owns them.
    const third = lab.open();
    await third.recall('one');
    keep(third);
    assert.deepEqual(await idsIn(lab.open()), []);
  });

  it('it stays one conversation until the session in which it continues is opened', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    const before = { earlier: [{ sessionId: 's1', createdAt: 5 }] };
    await writeJournal(store, lab.workspace, 's1', 'first');
    store.remember('one', lab.workspace, { place: place('s1'), ...nothing }, summary('first', { turn: 'interrupted' }));
    store.change('one', lab.workspace, { title: 'Mine' });
    store.remember('one', lab.workspace, { place: undefined, ...nothing }, summary('first', before));
    await store.load();
    assert.deepEqual(
      store.all.map((saved) => [saved.title, saved.place?.sessionId]),
      [['Mine', 's1']],
    );
    await writeJournal(store, lab.workspace, 's2', 'second');
    store.remember('one', lab.workspace, { place: { ...place('s2'), continues: 's1' }, ...nothing }, summary('first', before));
    const other = lab.open();
    await other.load();
    assert.deepEqual(
      other.all.map((saved) => [saved.title, saved.place?.sessionId, saved.summary?.earlier]),
      [['Mine', 's2', before.earlier]],
    );
  });

  it('what is unsent in a second entry for the same session is merged into it', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    const prompt = { id: 'p1', at: 1, content: [{ type: 'text', text: 'later' }], held: undefined } as const;
    await writeJournal(store, lab.workspace, 's1', 'hello');
    store.remember('twin', lab.workspace, { place: place('s1'), outbox: [prompt], returned: [] }, summary('hello'));
    store.writeDraft('twin', lab.workspace, 'half a thought');
    store.writeDraft('one', lab.workspace, 'another thought');
    store.change('one', lab.workspace, { title: 'Mine' });
    store.change('one', lab.workspace, { isPinned: true });
    store.remember('one', lab.workspace, { place: place('s1'), ...nothing }, summary('hello'));
    const later = lab.open();
    assert.deepEqual([later.get('one')?.title, later.get('one')?.isPinned], ['Mine', true]);
    const record = await later.recall('one');
    assert.deepEqual(record?.outbox, [prompt]);
    assert.deepEqual(
      record.returned.map(({ content }) => content),
      [[{ type: 'text', text: 'half a thought' }]],
    );
    assert.deepEqual([later.readDraft('one'), later.readDraft('twin')], ['another thought', '']);
  });

  it('it is found by the real folder, whatever path leads there', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    await writeJournal(store, lab.workspace, 's1', 'hello');
    store.remember('one', lab.workspace, { place: place('s1'), ...nothing }, summary('hello'));
    await symlink(lab.workspace, `${lab.workspace}-link`);
    await store.load();
    assert.deepEqual(
      store.inFolders([`${lab.workspace}-link`]).map(({ id, cwd }) => [id, cwd]),
      [['one', `${lab.workspace}-link`]],
    );
    assert.deepEqual(store.inFolders([lab.state]), []);
  });

  it('its files can be read by their owner only', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    await writeJournal(store, lab.workspace, 's1', 'hello');
    store.remember('one', lab.workspace, { place: place('s1'), ...nothing }, summary('hello'));
    store.writeDraft('one', lab.workspace, 'x');
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
    store.remember('one', lab.workspace, { place: place('s1'), ...nothing }, summary(`use sk-ant-${'a1b2'.repeat(20)}`));
    assert.doesNotMatch(await readFile(join(lab.state, 'conversations/one.json'), 'utf8'), /a1b2a1b2/);
  });

  it('an incomplete, foreign or newer file affects only itself and is left unchanged', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    await writeJournal(store, lab.workspace, 's1', 'hello');
    store.remember('one', lab.workspace, { place: place('s1'), ...nothing }, summary('hello'));
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
  const prompt = { id: 'p1', at: 1, content: [{ type: 'text', text: 'first message' }], held: undefined } as const;

  it('the next process lists it as long as it has a draft or an unsent prompt', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    store.writeDraft('draft', lab.workspace, 'half a thought');
    store.remember('held', lab.workspace, { place: undefined, outbox: [prompt], returned: [] }, undefined);
    store.remember('returned', lab.workspace, { place: undefined, outbox: [], returned: [prompt] }, undefined);
    store.remember('blank', lab.workspace, { place: undefined, ...nothing }, undefined);
    const listed = async (): Promise<readonly unknown[]> => {
      const later = lab.open();
      await later.load();
      return later.inFolders([lab.workspace]).map(({ id, unsentWords }) => [id, unsentWords]);
    };
    assert.deepEqual((await listed()).toSorted(), [
      ['draft', 'half a thought'],
      ['held', 'first message'],
      ['returned', 'first message'],
    ]);
    store.writeDraft('draft', lab.workspace, ' ');
    store.remember('held', lab.workspace, { place: undefined, ...nothing }, undefined);
    store.remember('returned', lab.workspace, { place: place('s1'), ...nothing }, summary('first message'));
    await writeJournal(store, lab.workspace, 's1', 'first message');
    assert.deepEqual(await listed(), [['returned', undefined]]);
  });

  it('it is in the list and can be opened again', async (t) => {
    const lab = await openStoreLab(t);
    const o = { state: lab.state, workspace: lab.workspace, program: 'editor' } as const;
    const first = openLibraryHost(o);
    first.open('one');
    first.store.writeDraft('one', lab.workspace, 'half a thought');
    await first.end();
    const second = openLibraryHost(o);
    t.after(() => second.end());
    await second.conversations.listFolders([lab.workspace]);
    const rows = (): readonly unknown[] =>
      second.conversations.state.conversations.map(({ id, firstWords, activity }) => [id, firstWords, activity]);
    assert.deepEqual(rows(), [['one', 'half a thought', 'saved']]);
    assert.equal((await second.conversations.execute({ type: 'open', id: 'one' })).ok, true);
    assert.deepEqual(rows(), [['one', 'half a thought', 'idle']]);
  });

  it('it can be renamed, deleted and restored like others', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    store.writeDraft('one', lab.workspace, 'half a thought');
    assert.equal(store.delete('one'), true);
    store.writeDraft('one', lab.workspace, '');
    assert.deepEqual(store.inFolders([lab.workspace]), []);
    assert.equal(store.restore('one'), true);
    store.change('one', lab.workspace, { title: 'Mine' });
    store.writeDraft('one', lab.workspace, '');
    assert.equal(lab.open().get('one')?.title, 'Mine');
    store.writeDraft('one', lab.workspace, `use sk-ant-${'a1b2'.repeat(20)}`);
    assert.doesNotMatch(await readFile(join(lab.state, 'conversations/one.json'), 'utf8'), /a1b2a1b2/);
  });
});

describe('conversations of several processes', () => {
  it('each process sees new, changed and removed conversations', async (t) => {
    const lab = await openStoreLab(t);
    const [one, two] = [lab.open(), lab.open()];
    await Promise.all([one.load(), two.load()]);
    one.remember('a', lab.workspace, { place: place('s1'), ...nothing }, summary('first'));
    await until(two, () => two.get('a') !== undefined);
    two.change('a', lab.workspace, { title: 'Renamed' });
    await until(one, () => one.get('a')?.title === 'Renamed');
    one.remember('a', lab.workspace, { place: place('s1'), ...nothing }, summary('first', { usedAt: 9 }));
    await until(two, () => two.get('a')?.summary?.usedAt === 9);
    assert.equal(two.get('a')?.title, 'Renamed');
    two.delete('a');
    await until(one, () => one.get('a') === undefined);
    two.restore('a');
    await until(one, () => one.get('a') !== undefined);
  });

  it('if another process deletes a conversation on screen, its unsent prompts are kept', async (t) => {
    const lab = await openStoreLab(t);
    const [one, two] = [lab.open(), lab.open()];
    await writeJournal(one, lab.workspace, 's1', 'hello');
    one.remember('a', lab.workspace, { place: place('s1'), ...nothing }, summary('hello'));
    one.writeDraft('a', lab.workspace, 'half a thought');
    await Promise.all([one.load(), two.load()]);
    const prompt = { id: 'p1', at: 1, content: [{ type: 'text', text: 'later' }], held: undefined } as const;
    assert.equal(two.readDraft('a'), 'half a thought');
    two.remember('a', lab.workspace, { place: place('s1'), outbox: [prompt], returned: [] }, summary('hello'));
    one.delete('a');
    await one.end();
    const later = lab.open();
    // It is gone from the list before its files are removed, and what is unsent is saved again after that.
    await until(two, () => two.get('a') === undefined && later.readDraft('a') !== '');
    assert.deepEqual([later.readDraft('a'), (await later.recall('a'))?.outbox], ['half a thought', [prompt]]);
  });

  it('deleted conversations are removed when the process that deleted them ends', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    await writeJournal(store, lab.workspace, 's1', 'gone');
    await writeJournal(store, lab.workspace, 's2', 'stays');
    await store.load();
    store.delete(store.find({ agentId: 'agent', sessionId: 's1' })?.id ?? '');
    assert.equal((await readdir(join(lab.state, 'journal'))).length, 2);
    await store.end();
    assert.equal((await readdir(join(lab.state, 'journal'))).length, 1);
    assert.deepEqual(wordsOf(store), ['stays']);
  });

  it('they stay on disk while it cannot be read whether they were restored', async (t) => {
    const lab = await openStoreLab(t);
    const [one, two] = [lab.open(), lab.open()];
    await writeJournal(one, lab.workspace, 's1', 'restored elsewhere');
    await one.load();
    const { id = '' } = one.find({ agentId: 'agent', sessionId: 's1' }) ?? {};
    one.delete(id);
    const { openSync } = fs;
    const unreadable = t.mock.method(fs, 'openSync', (path: string, ...rest: [number]) => {
      if (path.endsWith(`${id}.json`)) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
      return openSync(path, ...rest);
    });
    syncBuiltinESMExports();
    await one.end();
    unreadable.mock.restore();
    syncBuiltinESMExports();
    assert.equal((await readdir(join(lab.state, 'journal'))).length, 1);
    assert.equal(two.restore(id), true);
    assert.deepEqual(two.get(id)?.summary?.firstWords, 'restored elsewhere');
  });
});

describe('a journal without an entry', () => {
  it('it is listed once per chain of sessions, with its first words and the same id for every process', async (t) => {
    const lab = await openStoreLab(t);
    const [one, two] = [lab.open(), lab.open()];
    await writeJournal(one, lab.workspace, 's1', 'first', 5);
    const journal = one.journals.begin({ sessionId: 's2', agentId: 'agent', cwd: lab.workspace, createdAt: 6 });
    journal.append([
      { type: 'opened', at: 6, cwd: lab.workspace, by: 'replacement', continues: 's1' },
      { type: 'turn_started', at: 6, turnId: 't1', content: [{ type: 'text', text: 'second' }] },
    ]);
    await journal.close();
    await Promise.all([one.load(), two.load()]);
    assert.deepEqual(wordsOf(one), ['first']);
    const [found] = one.inFolders([lab.workspace]);
    assert.deepEqual([found?.place?.sessionId, found?.summary?.earlier], ['s2', [{ sessionId: 's1', createdAt: 5 }]]);
    assert.deepEqual(
      one.all.map(({ id }) => id),
      two.all.map(({ id }) => id),
    );
  });

  it('it is kept if a conversation leaves it for another session', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    await writeJournal(store, lab.workspace, 's1', 'first');
    await writeJournal(store, lab.workspace, 's2', 'second');
    store.remember('one', lab.workspace, { place: place('s1'), ...nothing }, summary('first'));
    store.change('one', lab.workspace, { title: 'Mine' });
    store.remember('one', lab.workspace, { place: undefined, ...nothing }, undefined);
    store.remember('one', lab.workspace, { place: place('s2'), ...nothing }, summary('second'));
    await store.load();
    assert.deepEqual(store.all.map((saved) => [saved.title, saved.summary?.firstWords]).sort(), [
      [undefined, 'second'],
      ['Mine', 'first'],
    ]);
  });

  it('it is no longer listed after it was removed to free space', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    store.remember('one', lab.workspace, { place: place('s1'), ...nothing }, summary('first'));
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
    assert.deepEqual(store.all.map(({ summary }) => [summary?.firstWords, summary?.turn]).sort(), [
      ['cut', 'interrupted'],
      ['ended', 'idle'],
    ]);
  });
});
