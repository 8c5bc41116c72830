/** Our repositories stay small, and lose nothing that is needed. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  watch as watchFolder,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { FolderChanges } from '../../../../src/core/services/changes/folderChanges.js';
import { removeUnused } from '../../../../src/core/services/changes/upkeep.js';
import { type ChangesLab, changesLab, commitAll, filesIn, git, posixOnly, rows, type Worker } from './changesLab.js';

const packsIn = (repository: string): readonly string[] =>
  readdirSync(path.join(repository, 'objects/pack')).filter((name) => name.endsWith('.pack'));

/** Turns that write a file, each with other content. */
async function turns(lab: ChangesLab, worker: Worker, count: number, sizeBytes = 20): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let turn = 0; turn < count; turn++) {
    const content = randomBytes(sizeBytes).toString('base64');
    ids.push((await worker.turn(() => writeFileSync(path.join(lab.folder, 'a.txt'), content)))?.id ?? '');
  }
  return ids;
}

async function isWhole(lab: ChangesLab, worker: Worker): Promise<void> {
  git(await lab.repository(), 'fsck', '--strict');
  for (const { id, files } of worker.changes.sets)
    for (const file of files) {
      const content = await worker.changes.content(id, file.path, file.status === 'deleted' ? 'before' : 'after');
      assert.ok(content !== undefined, `${id} ${file.path}`);
    }
}

describe('upkeep', { skip: posixOnly }, () => {
  it('makes one pack of many, from which all is taken back, also if the repository of the project is gone', async (t) => {
    const lab = await changesLab(t, {
      prepare(work) {
        git(work, 'init', '--quiet');
        writeFileSync(path.join(work, 'a.txt'), 'before');
        writeFileSync(path.join(work, 'large'), randomBytes(1_000_000));
        commitAll(work);
      },
    });
    const worker = lab.worker();
    const ids = await turns(lab, worker, 3);
    const repository = await lab.repository();
    await lab.recorded.upkeep();
    assert.equal(packsIn(repository).length, 3, 'few packs stay as they are');
    await lab.recorded.exclusive(async ({ records }) => {
      const stored = await records.store([]);
      const record = { kind: 'turn', at: 1, files: [], fileCount: 0, added: 0, removed: 0, problems: [], undoes: [] } as const;
      for (let count = 0; count < 50; count++) await records.save('other', { ...record, id: `r${count}` }, stored);
    });
    await lab.recorded.upkeep();
    assert.deepEqual(
      packsIn(repository).map((name) => name.replace(/-.*/, '')),
      ['folder', 'pack'],
    );
    await isWhole(lab, worker);
    // What the project has is not copied.
    assert.ok(packsIn(repository).every((name) => statSync(path.join(repository, 'objects/pack', name)).size < 100_000));
    rmSync(path.join(lab.folder, '.git'), { recursive: true });
    assert.deepEqual((await worker.undo(ids)).left, []);
    assert.equal(readFileSync(path.join(lab.folder, 'a.txt'), 'utf8'), 'before');
  });

  it('has little to do after the first snapshot of many files that no repository has', async (t) => {
    const count = 1_500;
    const lab = await changesLab(t, {
      prepare: (work) =>
        Array.from({ length: count }, (_, index) => writeFileSync(path.join(work, `${index}`), `${index}\n`)).forEach(() => {}),
    });
    const before = await filesIn(lab.folder);
    await lab.recorded.snapshot();
    const repository = await lab.repository();
    const singles = readdirSync(path.join(repository, 'objects')).filter((name) => name.length === 2);
    assert.deepEqual([packsIn(repository).length, singles.length < 5], [1, true]);
    const worker = lab.worker();
    await worker.turn(() => Array.from({ length: count }, (_, index) => rmSync(path.join(lab.folder, `${index}`))).forEach(() => {}));
    assert.deepEqual((await worker.undo()).left, []);
    assert.deepEqual(await filesIn(lab.folder), before);
    git(repository, 'fsck', '--strict');
  });

  it('removes the oldest change sets where all need too much, and keeps the newest however large it is', async (t) => {
    const lab = await changesLab(t, { limitBytes: 500_000 });
    const worker = lab.worker();
    const other = lab.worker();
    const [first = ''] = await turns(lab, worker, 1, 100_000);
    await turns(lab, other, 1, 100_000);
    await turns(lab, worker, 4, 100_000);
    await lab.recorded.upkeep();
    const repository = await lab.repository();
    const bytes = (name: string): number =>
      packsIn(repository)
        .filter((one) => one.startsWith(name))
        .reduce((sum, one) => sum + statSync(path.join(repository, 'objects/pack', one)).size, 0);
    assert.ok(bytes('pack') <= 500_000, String(bytes('pack')));
    assert.deepEqual(other.changes.sets, []);
    assert.ok(!worker.changes.sets.some(({ id }) => id === first));
    assert.ok(worker.changes.sets.length > 1);
    await assert.rejects(worker.undo([first]), { params: { reason: 'not_recorded' } });
    await assert.rejects(worker.changes.content(first, 'a.txt', 'after'), { params: { reason: 'not_recorded' } });
    const next = lab.worker({ id: 'c1' });
    await next.changes.load();
    assert.deepEqual(next.changes.sets, worker.changes.sets);
    const [large] = await turns(lab, worker, 1, 600_000);
    await lab.recorded.upkeep();
    assert.deepEqual(
      worker.changes.sets.map(({ id }) => id),
      [large],
    );
    await isWhole(lab, worker);
    assert.deepEqual((await worker.undo()).left, []);
  });

  it('does nothing while a turn runs, and loses nothing if one begins meanwhile', async (t) => {
    const lab = await changesLab(t, { limitBytes: 1 });
    const worker = lab.worker();
    const [first] = await turns(lab, worker, 1);
    const set = await worker.turn(async () => {
      await lab.recorded.upkeep();
      writeFileSync(path.join(lab.folder, 'a.txt'), 'changed');
    });
    assert.deepEqual(
      worker.changes.sets.map(({ id }) => id),
      [first, set?.id],
    );
    for (let round = 0; round < 5; round++) {
      const upkeep = lab.recorded.upkeep();
      const ids = await turns(lab, worker, 1);
      await upkeep;
      assert.equal(worker.changes.failure, undefined);
      assert.deepEqual((await worker.undo(ids)).left, []);
      await isWhole(lab, worker);
    }
  });

  it('keeps what a snapshot meanwhile has found in a pack that is no longer needed', async (t) => {
    const lab = await changesLab(t);
    const worker = lab.worker();
    await turns(lab, worker, 1);
    const content = readFileSync(path.join(lab.folder, 'a.txt'));
    await turns(lab, worker, 2);
    const repository = await lab.repository();
    // Removes what is in packs, too.
    await lab.recorded.remove('unknown');
    await lab.recorded.settled();
    const next = new FolderChanges(lab.stateFolder, lab.folder, { limitBytes: 1 });
    const packing = new Promise<void>((resolve) => {
      const watch = watchFolder(path.join(repository, 'objects/pack'), (_, name) => {
        if (!/^pack-.*\.pack$/.test(name ?? '')) return;
        watch.close();
        resolve();
      });
    });
    const upkeep = next.upkeep();
    await packing;
    writeFileSync(path.join(lab.folder, 'a.txt'), content);
    await next.snapshot();
    await upkeep;
    const { trees } = await next.snapshot();
    for (const tree of trees.values()) assert.equal(git(repository, 'cat-file', 'blob', `${tree}:a.txt`), content.toString());
    await next.upkeep();
    const kept = lab.worker({ id: 'c1' });
    await kept.changes.load();
    assert.equal(kept.changes.sets.length, 1);
    await isWhole(lab, kept);
  });

  it('stores again what only the project had and has no more', async (t) => {
    const lab = await changesLab(t, {
      prepare(work) {
        git(work, 'init', '--quiet');
        mkdirSync(path.join(work, 'd'));
        for (const name of ['a.txt', 'b.txt', 'd/c.txt']) writeFileSync(path.join(work, name), `${name}\n`);
        commitAll(work);
      },
    });
    const worker = lab.worker();
    await turns(lab, worker, 1);
    rmSync(path.join(lab.folder, '.git'), { recursive: true });
    const next = lab.worker();
    await turns(lab, next, 1);
    await lab.recorded.remove('c1');
    await lab.recorded.upkeep();
    assert.deepEqual(rows(await next.turn(() => writeFileSync(path.join(lab.folder, 'd/c.txt'), 'changed'))), ['modified d/c.txt']);
    assert.deepEqual((await next.undo()).left, []);
    await isWhole(lab, next);
  });
});

describe('a conversation that is removed', { skip: posixOnly }, () => {
  it('takes its change sets along, and the repository if nobody needs it', async (t) => {
    const lab = await changesLab(t);
    const [worker, other] = [lab.worker(), lab.worker()];
    await turns(lab, worker, 2);
    await turns(lab, other, 1);
    await worker.changes.review([worker.changes.sets[0]?.id ?? '']);
    const repository = await lab.repository();
    await lab.recorded.remove('c1');
    await lab.recorded.settled();
    assert.equal(git(repository, 'for-each-ref', '--format=%(refname)').split('\n').length, 1);
    assert.deepEqual(packsIn(repository).length, 2);
    await isWhole(lab, other);
    await lab.recorded.remove('c2');
    assert.ok(existsSync(repository), 'somebody works in the folder');
    const next = await changesLab(t);
    await next.recorded.remove('unknown');
    assert.ok(!existsSync(path.join(next.stateFolder, 'changes')));
  });

  it('takes the repository along once the engine was started again', async (t) => {
    const lab = await changesLab(t);
    await turns(lab, lab.worker(), 1);
    const repository = await lab.repository();
    const next = new FolderChanges(lab.stateFolder, lab.folder);
    await next.remove('c1');
    assert.ok(!existsSync(repository));
  });

  it('leaves a repository that is removed once it was not used for a week', async (t) => {
    const lab = await changesLab(t);
    await turns(lab, lab.worker(), 1);
    const repository = await lab.repository();
    const all = path.join(lab.stateFolder, 'changes');
    const age = (): void => utimesSync(path.join(repository, 'info/exclude'), 1, 1);
    age();
    await removeUnused(all);
    assert.ok(existsSync(repository), 'it has change sets');
    git(repository, 'pack-refs', '--all');
    await removeUnused(all);
    assert.ok(existsSync(repository), 'it has packed change sets');
    await lab.recorded.remove('c1');
    await lab.recorded.settled();
    await new FolderChanges(lab.stateFolder, lab.folder).snapshot();
    await removeUnused(all);
    assert.ok(existsSync(repository), 'it was used');
    age();
    await removeUnused(all);
    assert.ok(!existsSync(repository));
    await removeUnused(path.join(all, 'missing'));
  });
});
