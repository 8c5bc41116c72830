/** A disk that is full or read-only during a snapshot or an undo: it is said, costs nobody a file, and all goes on once it is not. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { type ChangesLab, changesLab, filesIn, posixOnly, rows } from './changesLab.js';

const diskBytes = 2 * 1024 * 1024;
const large = randomBytes(400_000);

/** Makes a folder a small disk. @returns whether the system lets this user do so */
function mount(folder: string): boolean {
  mkdirSync(folder, { recursive: true });
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', folder]).status === 0;
}

function unmount(folder: string): void {
  spawnSync('umount', ['-l', folder]);
}

function canMount(): boolean {
  const folder = path.join('/tmp', `acp-host-mount-${process.pid}`);
  const isMounted = posixOnly === false && mount(folder);
  if (isMounted) unmount(folder);
  rmSync(folder, { recursive: true, force: true });
  return isMounted;
}

/** Leaves no more than some kilobytes. @returns the file that takes the rest */
function fill(disk: string): string {
  const filler = path.join(disk, 'filler');
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(filler, Buffer.alloc(bavail * bsize));
  return filler;
}

/** @param where which folder is a small disk */
async function withSmallDisk(
  t: Parameters<typeof changesLab>[0],
  where: 'state' | 'work',
  work: (lab: ChangesLab, disk: string) => Promise<void>,
): Promise<void> {
  let disk = '';
  const lab = await changesLab(t, {
    prepare(folder) {
      disk = where === 'work' ? folder : path.join(path.dirname(folder), 'state');
      assert.ok(mount(disk));
      writeFileSync(path.join(folder, 'a.txt'), 'a\n');
      writeFileSync(path.join(folder, 'b.txt'), 'b\n');
      writeFileSync(path.join(folder, 'large'), large);
    },
  });
  try {
    await work(lab, disk);
    await lab.recorded.settled();
  } finally {
    unmount(disk);
  }
}

const isPossible = canMount();

describe('a full disk', { skip: isPossible ? false : 'only root can mount a small disk' }, () => {
  it('during a snapshot is said, and the next turn is recorded once there is space', async (t) => {
    await withSmallDisk(t, 'state', async (lab, disk) => {
      const at = (name: string): string => path.join(lab.folder, name);
      const worker = lab.worker();
      const first = await worker.turn(() => writeFileSync(at('a.txt'), 'agent\n'));
      let filler = '';
      const other = randomBytes(300_000);
      await worker.turn(() => {
        filler = fill(disk);
        writeFileSync(at('other'), other);
      });
      assert.equal(worker.changes.failure?.params.reason, 'git_failed');
      assert.match(String(worker.changes.failure.params.detail), /No space left on device/);
      assert.deepEqual(readFileSync(at('other')), other);
      unlinkSync(filler);
      assert.deepEqual(rows(await worker.turn(() => unlinkSync(at('other')))), ['deleted other']);
      assert.equal(worker.changes.failure, undefined);
      assert.deepEqual((await worker.undo()).left, []);
      assert.deepEqual(readFileSync(at('other')), other);
      assert.deepEqual((await worker.undo([first?.id ?? ''])).left, []);
      assert.equal(readFileSync(at('a.txt'), 'utf8'), 'a\n');
    });
  });

  it('during an undo that can not be recorded is said, and the undo is there when it is tried again', async (t) => {
    await withSmallDisk(t, 'state', async (lab, disk) => {
      const before = await filesIn(lab.folder);
      const worker = lab.worker();
      const set = await worker.turn(() => {
        for (const name of ['a.txt', 'b.txt']) writeFileSync(path.join(lab.folder, name), 'agent\n');
        rmSync(path.join(lab.folder, 'large'));
      });
      const after = await filesIn(lab.folder);
      const filler = fill(disk);
      await assert.rejects(worker.undo(), /No space left on device|ENOSPC/i);
      // What was changed until then is changed completely.
      for (const [name, file] of await filesIn(lab.folder))
        assert.ok([before.get(name)?.content, after.get(name)?.content].includes(file.content));
      unlinkSync(filler);
      assert.deepEqual((await worker.undo()).left, []);
      assert.deepEqual(await filesIn(lab.folder), before);
      assert.ok(worker.changes.sets.find(({ id }) => id === set?.id)?.files.every(({ isUndone }) => isUndone === true));
    });
  });

  it('of the folder during an undo leaves the files that do not fit as they are, and says which', async (t) => {
    await withSmallDisk(t, 'work', async (lab, disk) => {
      const before = await filesIn(lab.folder);
      const worker = lab.worker();
      const set = await worker.turn(() => {
        writeFileSync(path.join(lab.folder, 'large'), 'small\n');
        writeFileSync(path.join(lab.folder, 'new.txt'), 'new\n');
      });
      const filler = fill(disk);
      const { undone, left } = await worker.undo();
      assert.deepEqual(undone, ['new.txt']);
      assert.deepEqual(left, [{ path: 'large', why: 'refused', detail: 'no space left on device' }]);
      assert.equal(readFileSync(path.join(lab.folder, 'large'), 'utf8'), 'small\n');
      assert.deepEqual(readdirSync(lab.folder).sort(), ['a.txt', 'b.txt', 'filler', 'large']);
      assert.deepEqual(
        worker.changes.sets.find(({ id }) => id === set?.id)?.files.map(({ isUndone }) => isUndone),
        [undefined, true],
      );
      unlinkSync(filler);
      assert.deepEqual((await worker.undo()).left, []);
      assert.ok(!existsSync(path.join(lab.folder, 'new.txt')));
      assert.deepEqual(await filesIn(lab.folder), before);
    });
  });
});

describe('a read-only disk', { skip: isPossible ? false : 'only root can mount a small disk' }, () => {
  const change = (disk: string, how: 'ro' | 'rw'): void => assert.equal(spawnSync('mount', ['-o', `remount,${how}`, disk]).status, 0);

  it('that has the folder keeps no turn from being recorded, and its files are left, and taken back once it can be written', async (t) => {
    await withSmallDisk(t, 'work', async (lab, disk) => {
      const before = await filesIn(lab.folder);
      const worker = lab.worker();
      await worker.turn(() => {
        writeFileSync(path.join(lab.folder, 'a.txt'), 'agent\n');
        rmSync(path.join(lab.folder, 'b.txt'));
        writeFileSync(path.join(lab.folder, 'new.txt'), 'new\n');
        change(disk, 'ro');
      });
      assert.equal(worker.changes.failure, undefined);
      const after = await filesIn(lab.folder);
      const refused = { why: 'refused', detail: 'read-only file system' };
      const { undone, left } = await worker.undo();
      assert.deepEqual(
        [undone, [...left].sort((a, b) => (a.path < b.path ? -1 : 1))],
        [[], ['a.txt', 'b.txt', 'new.txt'].map((name) => ({ path: name, ...refused }))],
      );
      assert.deepEqual(await filesIn(lab.folder), after);
      change(disk, 'rw');
      assert.deepEqual((await worker.undo()).left, []);
      assert.deepEqual(await filesIn(lab.folder), before);
    });
  });

  it('that has what is recorded is said, and the next turn is recorded once it can be written', async (t) => {
    await withSmallDisk(t, 'state', async (lab, disk) => {
      const worker = lab.worker();
      const at = (name: string): string => path.join(lab.folder, name);
      await worker.turn(() => writeFileSync(at('a.txt'), 'first\n'));
      await worker.turn(() => {
        change(disk, 'ro');
        writeFileSync(at('a.txt'), 'second\n');
      });
      assert.equal(worker.changes.failure?.code, 'changes_unknown');
      await assert.rejects(worker.undo(), /Read-only file system|EROFS/i);
      assert.equal(readFileSync(at('a.txt'), 'utf8'), 'second\n');
      change(disk, 'rw');
      assert.deepEqual(rows(await worker.turn(() => writeFileSync(at('a.txt'), 'third\n'))), ['modified a.txt']);
      assert.equal(worker.changes.failure, undefined);
      assert.deepEqual((await worker.undo()).left, []);
      assert.equal(readFileSync(at('a.txt'), 'utf8'), 'second\n');
    });
  });
});
