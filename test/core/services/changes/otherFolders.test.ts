/** What a turn changes in the other folders that its agent was told of. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { EngineChanges } from '../../../../src/core/engine/engineChanges.js';
import { HostError } from '../../../../src/core/base/errors.js';
import { ChangesInFolders } from '../../../../src/core/services/changes/changesInFolders.js';
import { FolderChanges } from '../../../../src/core/services/changes/folderChanges.js';
import type { ChangeSet } from '../../../../src/core/session/changes.js';
import { commitAll, git, noEditor, posixOnly, rows } from './changesLab.js';

function folders(t: TestContext) {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'acp-host-folders-')));
  const at = (...names: readonly string[]): string => path.join(root, ...names);
  for (const name of ['app', 'lib', 'docs']) {
    mkdirSync(at(name));
    writeFileSync(at(name, 'same.txt'), `of ${name}\n`);
  }
  const open: { settled(): Promise<void> }[] = [];
  const settled = () => Promise.all(open.map((changes) => changes.settled()));
  /** Begins a turn whose state before is known: an agent waits for it only for a while. */
  const begin = async (changes: ChangesInFolders, id: string, others: readonly string[]): Promise<void> => {
    await changes.begin(id, others);
    await settled();
  };
  let turns = 0;
  t.after(async () => {
    await settled();
    rmSync(root, { recursive: true, force: true });
  });
  return {
    at,
    write: (content: string, ...names: readonly string[]) => writeFileSync(at(...names), content),
    text: (...names: readonly string[]) => readFileSync(at(...names), 'utf8'),
    state: at('state'),
    begin,
    /** A turn that does the work. @returns what was recorded; undefined if nothing was */
    async turn(
      changes: ChangesInFolders,
      others: readonly string[],
      work: () => void,
      named: readonly string[] = [],
    ): Promise<ChangeSet | undefined> {
      const id = `turn${++turns}`;
      await begin(changes, id, others);
      work();
      await changes.end(id, new Set(named));
      return changes.sets.find((set) => set.id === id);
    },
    /** What is recorded of one of them, without an engine. */
    recorded(folder: string) {
      const changes = new FolderChanges(at('state'), folder);
      open.push(changes);
      return changes;
    },
    /** What an engine knows that was started now. */
    engine() {
      const changes = new EngineChanges(at('state'));
      open.push(changes);
      return changes;
    },
  };
}

test('a turn that works in several folders is one change set, which is undone and done again as one', async (t) => {
  const { at, write, text, engine, turn } = folders(t);
  const changes = engine().of('one', at('app'), noEditor);
  const others = [at('lib'), at('docs')];
  const work = (): void => {
    for (const name of ['app', 'lib']) write(`changed in ${name}\n`, name, 'same.txt');
    write('new\nfile\n', 'docs', 'new.md');
  };
  const set = await turn(changes, others, work, [at('lib/same.txt')]);
  assert.deepEqual(rows(set), ['added ../docs/new.md', 'modified ../lib/same.txt', 'modified same.txt']);
  assert.deepEqual([set?.fileCount, set?.added, set?.removed], [3, 4, 2]);
  assert.deepEqual(
    set?.files.map(({ by }) => by),
    ['other', 'tool', 'other'],
  );
  const id = set?.id ?? '';
  assert.equal((await changes.content(id, '../lib/same.txt', 'before'))?.toString(), 'of lib\n');
  assert.deepEqual(rows({ files: await changes.files(id) }), rows(set));

  const undone = await changes.undo({ ids: [id] });
  assert.deepEqual([[...undone.undone].sort(), undone.left], [['../docs/new.md', '../lib/same.txt', 'same.txt'], []]);
  assert.deepEqual([text('app', 'same.txt'), text('lib', 'same.txt')], ['of app\n', 'of lib\n']);
  assert.deepEqual(await readdir(at('docs')), ['same.txt']);
  assert.deepEqual(
    changes.sets.map(({ kind, undoneSets }) => [kind, undoneSets]),
    [
      ['turn', undefined],
      ['undo', [id]],
    ],
  );
  assert.ok(changes.sets[0]?.files.every(({ isUndone }) => isUndone));

  await changes.undo({ ids: [undone.id ?? ''] });
  assert.deepEqual(
    [text('app', 'same.txt'), text('lib', 'same.txt'), text('docs', 'new.md')],
    ['changed in app\n', 'changed in lib\n', 'new\nfile\n'],
  );
});

test('one file of another folder is undone and reviewed without those of the same name', async (t) => {
  const { at, write, text, engine, turn } = folders(t);
  const changes = engine().of('one', at('app'), noEditor);
  const set = await turn(changes, [at('lib')], () => {
    for (const name of ['app', 'lib']) write('changed\n', name, 'same.txt');
  });
  const id = set?.id ?? '';
  await changes.review([id], ['../lib/same.txt']);
  assert.deepEqual(
    changes.sets[0]?.files.map(({ path: name, isReviewed }) => [name, isReviewed]),
    [
      ['../lib/same.txt', true],
      ['same.txt', undefined],
    ],
  );
  await changes.reviewAgain(id, '../lib/same.txt');
  await changes.review([id]);
  assert.ok(changes.sets[0]?.files.every(({ isReviewed }) => isReviewed));
  const { undone } = await changes.undo({ ids: [id], paths: ['../lib/same.txt'] });
  assert.deepEqual([undone, text('app', 'same.txt'), text('lib', 'same.txt')], [['../lib/same.txt'], 'changed\n', 'of lib\n']);
});

test('what the user changed since in another folder stays, and is named', async (t) => {
  const { at, write, text, engine, turn } = folders(t);
  const changes = engine().of('one', at('app'), noEditor);
  const set = await turn(changes, [at('lib')], () => {
    for (const name of ['app', 'lib']) write('changed\n', name, 'same.txt');
  });
  write('by the user\n', 'lib', 'same.txt');
  const { undone, left } = await changes.undo({ ids: [set?.id ?? ''] });
  assert.deepEqual([undone, left.map(({ path: name, why }) => [name, why])], [['same.txt'], [['../lib/same.txt', 'changed']]]);
  assert.equal(text('lib', 'same.txt'), 'by the user\n');
});

test('where one folder fails, the others are undone, and all files of that one are named', async (t) => {
  const { at, write, text, recorded, turn } = folders(t);
  const opened = new Map(['app', 'lib', 'docs'].map((name) => [at(name), recorded(at(name))]));
  const folderAt = (folder: string): FolderChanges => opened.get(folder) ?? assert.fail(folder);
  const changes = new ChangesInFolders({ id: 'one', cwd: at('app'), folderAt, editor: noEditor });
  const many = Array.from({ length: 120 }, (_, index) => `new${String(index).padStart(3, '0')}.txt`);
  const set = await turn(changes, [at('lib'), at('docs')], () => {
    for (const name of ['app', 'docs']) write('changed\n', name, 'same.txt');
    for (const name of many) write('new\n', 'lib', name);
  });
  const ids = [set?.id ?? ''];
  await changes.undo({ ids, paths: ['../lib/new000.txt'] });
  for (const failure of [new HostError('changes_unknown', { reason: 'too_slow' }), new Error('ENOSPC: no space left on device')]) {
    const failing = t.mock.method(folderAt(at('lib')), 'exclusive', () => Promise.reject(failure));
    const undone = await changes.undo({ ids });
    failing.mock.restore();
    assert.deepEqual([...undone.undone].sort(), ['../docs/same.txt', 'same.txt']);
    const why = failure instanceof HostError ? { why: 'failed', detail: 'too_slow' } : { why: 'refused', detail: failure.message };
    assert.deepEqual(
      undone.left,
      many.slice(1).map((name) => ({ path: `../lib/${name}`, ...why })),
    );
    assert.deepEqual([text('app', 'same.txt'), text('docs', 'same.txt')], ['of app\n', 'of docs\n']);
    await changes.undo({ ids: [undone.id ?? ''] });
  }
});

test('the next engine knows it, whatever the window has open by then; deleting the conversation removes all of it', async (t) => {
  const { at, write, text, engine, state, turn } = folders(t);
  const first = engine();
  const set = await turn(first.of('one', at('app'), noEditor), [at('lib')], () => write('changed\n', 'lib', 'same.txt'));
  assert.deepEqual(rows(set), ['modified ../lib/same.txt']);
  await first.settled();
  const next = engine();
  const changes = next.of('one', at('app'), noEditor);
  await changes.load();
  assert.deepEqual(changes.sets.map(rows), [['modified ../lib/same.txt']]);
  await changes.undo({ ids: [set?.id ?? ''] });
  assert.equal(text('lib', 'same.txt'), 'of lib\n');
  await next.settled();
  // Also while it is not open.
  const last = engine();
  await last.remove('one', at('app'));
  await last.settled();
  const refs = (await readdir(path.join(state, 'changes'))).map((name) => git(path.join(state, 'changes', name), 'for-each-ref'));
  assert.deepEqual(
    refs.filter((listed) => listed !== ''),
    [],
  );
});

test('what an engine that was killed in a turn left in both folders, the next one records', async (t) => {
  const { at, write, text, engine, begin } = folders(t);
  const killed = engine().of('one', at('app'), noEditor);
  await begin(killed, 'lost', [at('lib')]);
  for (const name of ['app', 'lib']) write('half done\n', name, 'same.txt');
  const changes = engine().of('one', at('app'), noEditor);
  await changes.load();
  assert.deepEqual(
    changes.sets.map((set) => [set.id, rows(set), set.problems.includes('interrupted')]),
    [['lost', ['modified ../lib/same.txt', 'modified same.txt'], true]],
  );
  // They may be the user's, so each is named.
  await changes.undo({ ids: ['lost'], paths: ['../lib/same.txt', 'same.txt'] });
  assert.deepEqual([text('app', 'same.txt'), text('lib', 'same.txt')], ['of app\n', 'of lib\n']);
});

test('that a conversation worked elsewhere is known as long as there is something of it, whatever else is removed', async (t) => {
  const { at, write, engine, turn, state } = folders(t);
  const first = engine();
  await turn(first.of('one', at('app'), noEditor), [at('lib')], () => write('changed\n', 'lib', 'same.txt'));
  await first.settled();
  const remaining = async (): Promise<readonly (readonly string[])[]> => {
    const next = engine();
    await next.load();
    const changes = next.of('one', at('app'), noEditor);
    await changes.load();
    return changes.sets.map(rows);
  };
  const second = engine();
  await second.remove('two', at('app'));
  await second.settled();
  assert.deepEqual(await remaining(), [['modified ../lib/same.txt']]);
  const longAgo = new Date(Date.now() - 30 * 24 * 3_600_000);
  for (const name of await readdir(path.join(state, 'changes')))
    utimesSync(path.join(state, 'changes', name, 'info/exclude'), longAgo, longAgo);
  assert.deepEqual(await remaining(), [['modified ../lib/same.txt']]);
});

test('a file is recorded once where one folder is in the other', async (t) => {
  const { at, write, engine, turn } = folders(t);
  mkdirSync(at('app', 'inner'));
  const changes = engine().of('one', at('app'), noEditor);
  const set = await turn(changes, [at('app', 'inner'), at()], () => write('x\n', 'app', 'inner', 'x.txt'));
  assert.deepEqual(rows(set), ['added inner/x.txt']);
});

test('also where a link hides that', { skip: posixOnly }, async (t) => {
  const { at, write, engine, turn } = folders(t);
  mkdirSync(at('app', 'inner'));
  symlinkSync(at('app', 'inner'), at('link'));
  const changes = engine().of('one', at('link'), noEditor);
  const set = await turn(changes, [at('app')], () => write('x\n', 'app', 'inner', 'x.txt'));
  assert.deepEqual(rows(set), ['added x.txt']);
});

test('a turn that was not told of a folder does not claim what changed there', async (t) => {
  const { at, write, engine, turn } = folders(t);
  const changes = engine().of('one', at('app'), noEditor);
  await turn(changes, [at('lib')], () => write('1\n', 'lib', 'same.txt'));
  assert.equal(await turn(changes, [], () => write('2\n', 'lib', 'same.txt')), undefined);
  assert.deepEqual(rows(await turn(changes, [at('lib')], () => write('3\n', 'lib', 'same.txt'))), ['modified ../lib/same.txt']);
});

test('a folder that is gone costs only what is in it', { skip: posixOnly }, async (t) => {
  const { at, write, engine, turn } = folders(t);
  const changes = engine().of('one', at('app'), noEditor);
  const set = await turn(changes, [at('nowhere'), at('lib')], () => {
    for (const name of ['app', 'lib']) write('changed\n', name, 'same.txt');
  });
  assert.deepEqual(rows(set), ['modified ../lib/same.txt', 'modified same.txt']);
  assert.equal(changes.failure?.code, 'changes_unknown');
  await turn(changes, [at('lib')], () => write('again\n', 'lib', 'same.txt'));
  assert.equal(changes.failure, undefined);
});

test('a patch has what git can take back in the folder of the conversation', async (t) => {
  const { at, write, text, engine, turn } = folders(t);
  git(at('app'), 'init', '--quiet');
  commitAll(at('app'));
  const changes = engine().of('one', at('app'), noEditor);
  const both = await turn(changes, [at('lib')], () => {
    for (const name of ['app', 'lib']) write('changed\n', name, 'same.txt');
  });
  const elsewhere = await turn(changes, [at('lib')], () => write('again\n', 'lib', 'same.txt'));
  const patch = await changes.patch([both?.id ?? '', elsewhere?.id ?? '']);
  writeFileSync(at('changes.patch'), patch);
  git(at('app'), 'apply', '-R', at('changes.patch'));
  assert.deepEqual([text('app', 'same.txt'), text('lib', 'same.txt')], ['of app\n', 'again\n']);
});

test('a conversation in a folder that is reached by a link names the others as they are reached from there', {
  skip: posixOnly,
}, async (t) => {
  const { at, write, text, engine, turn } = folders(t);
  mkdirSync(at('deep', 'er'), { recursive: true });
  symlinkSync(at('app'), at('deep', 'er', 'link'));
  const cwd = at('deep', 'er', 'link');
  const changes = engine().of('one', cwd, noEditor);
  const set = await turn(changes, [at('lib')], () => unlinkSync(at('lib', 'same.txt')));
  assert.deepEqual(rows(set), ['deleted ../../../lib/same.txt']);
  assert.equal(path.join(cwd, set?.files[0]?.path ?? ''), at('lib', 'same.txt'));
  await changes.undo({ ids: [set?.id ?? ''] });
  assert.equal(text('lib', 'same.txt'), 'of lib\n');
  write('', 'app', 'same.txt');
});
