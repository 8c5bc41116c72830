/** What is wrong with a folder, its files, git or our own repository is said, and costs nobody a file. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, describe, it, type TestContext } from 'node:test';
import { FolderChanges } from '../../../../src/core/services/changes/folderChanges.js';
import { type ChangesLab, changesLab, filesIn, git, posixOnly, rows, type Worker } from './changesLab.js';

const lines = (count: number): string => Array.from({ length: count }, (_, line) => `line ${line}\n`).join('');

async function workplace(t: Parameters<typeof changesLab>[0]): Promise<{ lab: ChangesLab; worker: Worker; at: (name: string) => string }> {
  const lab = await changesLab(t, {
    prepare(work) {
      mkdirSync(path.join(work, 'd'));
      writeFileSync(path.join(work, 'a.txt'), 'a\n');
      writeFileSync(path.join(work, 'd/b.txt'), lines(20));
    },
  });
  return { lab, worker: lab.worker(), at: (name) => path.join(lab.folder, name) };
}

const reasonOf = ({ changes: { failure } }: Worker): unknown => failure?.params.reason;

describe('a folder', { skip: posixOnly }, () => {
  it('that is gone is said, and the next turn in it is recorded', async (t) => {
    const { lab, worker, at } = await workplace(t);
    await worker.turn(() => renameSync(lab.folder, `${lab.folder}-moved`));
    assert.equal(reasonOf(worker), 'git_failed');
    assert.match(worker.changes.failure?.message ?? '', /no such folder/);
    renameSync(`${lab.folder}-moved`, lab.folder);
    assert.deepEqual(rows(await worker.turn(() => writeFileSync(at('a.txt'), 'b\n'))), ['modified a.txt']);
    assert.equal(worker.changes.failure, undefined);
  });

  it('that is gone keeps what was done in it from being undone until it is back', async (t) => {
    const { lab, worker, at } = await workplace(t);
    await worker.turn(() => {
      writeFileSync(at('new.txt'), 'new\n');
      unlinkSync(at('a.txt'));
    });
    renameSync(lab.folder, `${lab.folder}-moved`);
    await assert.rejects(worker.undo(), /no such folder/);
    renameSync(`${lab.folder}-moved`, lab.folder);
    assert.deepEqual((await worker.undo()).undone, ['a.txt', 'new.txt']);
    assert.deepEqual([...(await filesIn(lab.folder)).keys()], ['a.txt', 'd/b.txt']);
  });

  it('that is the home folder is not recorded', async (t) => {
    const { lab, worker } = await workplace(t);
    const { HOME } = process.env;
    process.env.HOME = path.join(lab.folder, 'd');
    t.after(() => (process.env.HOME = HOME));
    await worker.turn(() => {});
    assert.equal(reasonOf(worker), 'folder_too_large');
  });

  const isRoot = process.getuid?.() === 0;
  it('that is read-only leaves its files as they are', { skip: isRoot ? 'root may write everywhere' : false }, async (t) => {
    const { worker, at } = await workplace(t);
    const set = await worker.turn(() => {
      writeFileSync(at('a.txt'), 'b\n');
      writeFileSync(at('d/b.txt'), 'b\n');
    });
    chmodSync(at('d'), 0o555);
    t.after(() => chmodSync(at('d'), 0o755));
    const { undone, left } = await worker.undo();
    assert.deepEqual([undone, left.map(({ path: name, why }) => [name, why])], [['a.txt'], [['d/b.txt', 'refused']]]);
    assert.deepEqual(
      worker.changes.sets.find(({ id }) => id === set?.id)?.files.map(({ isUndone }) => isUndone),
      [true, undefined],
    );
  });

  it('with 2,000 changed files is taken back completely', async (t) => {
    const { lab, worker, at } = await workplace(t);
    const before = await filesIn(lab.folder);
    const set = await worker.turn(() => {
      for (let index = 0; index < 2_000; index++) writeFileSync(at(`d/${index}.txt`), lines(index % 50));
    });
    assert.deepEqual([set?.fileCount, set?.files.length], [2_000, 100]);
    const all = await worker.changes.files(set?.id ?? '');
    assert.deepEqual([all.length, new Set(all.map(({ path: name }) => name)).size], [2_000, 2_000]);
    const next = lab.worker({ id: 'c1' });
    await next.changes.load();
    assert.deepEqual(await next.changes.files(set?.id ?? ''), all);
    const { undone, left } = await worker.undo();
    assert.deepEqual([undone.length, left.length], [2_000, 0]);
    assert.ok((await worker.changes.files(set?.id ?? '')).every(({ isUndone }) => isUndone === true));
    assert.deepEqual(await filesIn(lab.folder), before);
  });
});

describe('a file', { skip: posixOnly }, () => {
  it('that is large is named, and left', async (t) => {
    const { worker, at } = await workplace(t);
    const large = 6 * 1024 * 1024;
    writeFileSync(at('shrinks'), Buffer.alloc(large, 1));
    writeFileSync(at('grows'), 'small');
    writeFileSync(at('same'), Buffer.alloc(large, 3));
    const set = await worker.turn(() => {
      truncateSync(at('shrinks'), 10);
      writeFileSync(at('grows'), Buffer.alloc(large, 4));
      writeFileSync(at('new'), 'begins\n');
      truncateSync(at('new'), 2 * 1024 ** 3);
    });
    assert.deepEqual(rows(set), ['modified grows', 'added new', 'modified shrinks']);
    assert.ok(set?.files.every(({ unkept }) => unkept === 'large'));
    assert.deepEqual(
      (await worker.undo()).left,
      ['grows', 'new', 'shrinks'].map((name) => ({ path: name, why: 'unkept', detail: 'large' })),
    );
    assert.equal(readFileSync(at('shrinks')).length, 10);
    assert.deepEqual(rows(await worker.turn(() => unlinkSync(at('same')))), ['deleted same']);
  });

  it('that was small when it was changed is left once it is large', async (t) => {
    const { worker, at } = await workplace(t);
    await worker.turn(() => writeFileSync(at('a.txt'), 'b\n'));
    truncateSync(at('a.txt'), 3 * 1024 ** 3);
    assert.deepEqual((await worker.undo()).left, [{ path: 'a.txt', why: 'changed' }]);
  });

  it('with secrets by its name is named, and never kept', async (t) => {
    const { lab, worker, at } = await workplace(t);
    writeFileSync(at('.env'), 'KEY=before\n');
    const set = await worker.turn(() => {
      writeFileSync(at('.env'), 'KEY=after\n');
      writeFileSync(at('d/server.pem'), 'PRIVATE\n');
      writeFileSync(at('.env.example'), 'KEY=\n');
    });
    assert.deepEqual(
      set?.files.map(({ path: name, unkept }) => [name, unkept]),
      [
        ['.env', 'secret'],
        ['.env.example', undefined],
        ['d/server.pem', 'secret'],
      ],
    );
    const objects = git(await lab.repository(), 'cat-file', '--batch', '--batch-all-objects');
    assert.match(objects, /^KEY=$/m);
    assert.doesNotMatch(objects, /KEY=before|KEY=after|PRIVATE/);
    assert.equal((await worker.undo()).undone.join(), '.env.example');
    assert.equal(readFileSync(at('.env'), 'utf8'), 'KEY=after\n');
  });

  it('that is a pipe, or a link to a device, is not opened', async (t) => {
    const { lab, worker, at } = await workplace(t);
    execFileSync('mkfifo', [at('pipe')]);
    symlinkSync('/dev/zero', at('zero'));
    const set = await worker.turn(() => {
      writeFileSync(at('a.txt'), 'b\n');
      symlinkSync('/dev/urandom', at('random'));
    });
    assert.deepEqual(rows(set), ['modified a.txt', 'added random']);
    unlinkSync(at('a.txt'));
    execFileSync('mkfifo', [at('a.txt')]);
    const { undone, left } = await worker.undo();
    assert.deepEqual([undone, left], [['random'], [{ path: 'a.txt', why: 'changed' }]]);
    assert.ok((await filesIn(lab.folder)).has('a.txt'));
  });

  it('beyond a link is neither written nor removed', async (t) => {
    const { lab, worker, at } = await workplace(t);
    writeFileSync(at('d/removed'), 'removed\n');
    // Bytes that are no text must not lead there, either.
    const bytes = Buffer.concat([Buffer.from(`${lab.folder}/`), Buffer.from([0xff])]);
    const change = (): void => {
      writeFileSync(at('d/b.txt'), 'changed\n');
      writeFileSync(at('d/new'), 'new\n');
      unlinkSync(at('d/removed'));
      mkdirSync(bytes);
      writeFileSync(Buffer.concat([bytes, Buffer.from('/new')]), 'new\n');
    };
    await worker.turn(change);
    const outside = path.join(path.dirname(lab.stateFolder), 'outside');
    for (const [folder, place] of [
      [at('d'), `${outside}-d`],
      [bytes, `${outside}-bytes`],
    ] as const) {
      renameSync(folder, place);
      symlinkSync(place, folder);
    }
    const before = [await filesIn(`${outside}-d`), await filesIn(`${outside}-bytes`)];
    const { left } = await worker.undo();
    assert.deepEqual(left, [
      { path: 'd/b.txt', why: 'changed' },
      { path: 'd/removed', why: 'changed' },
    ]);
    assert.deepEqual([await filesIn(`${outside}-d`), await filesIn(`${outside}-bytes`)], before);
  });

  it('is there again in the place of a link that leads to itself', async (t) => {
    const { lab, worker, at } = await workplace(t);
    const before = await filesIn(lab.folder);
    await worker.turn(() => {
      renameSync(at('d/b.txt'), at('moved.txt'));
      rmSync(at('d'), { recursive: true });
      symlinkSync('d', at('d'));
    });
    assert.deepEqual((await worker.undo()).left, []);
    assert.deepEqual(await filesIn(lab.folder), before);
  });

  it('in the place of a folder stays, with the file that was renamed from there', async (t) => {
    const { lab, worker, at } = await workplace(t);
    await worker.turn(() => {
      renameSync(at('d/b.txt'), at('moved.txt'));
      rmSync(at('d'), { recursive: true });
    });
    writeFileSync(at('d'), 'mine\n');
    const before = await filesIn(lab.folder);
    assert.deepEqual((await worker.undo()).left, [{ path: 'moved.txt', why: 'changed' }]);
    assert.deepEqual(await filesIn(lab.folder), before);
    unlinkSync(at('d'));
    assert.deepEqual((await worker.undo()).left, []);
    assert.deepEqual([...(await filesIn(lab.folder)).keys()], ['a.txt', 'd/b.txt']);
  });
});

describe('our repository', { skip: posixOnly }, () => {
  const damages: Readonly<Record<string, (repository: string) => void>> = {
    'whose index is cut': (repository) => truncateSync(path.join(repository, 'index'), 20),
    'whose index is no index': (repository) => writeFileSync(path.join(repository, 'index'), 'nonsense'),
    'whose index is missing': (repository) => unlinkSync(path.join(repository, 'index')),
    'that a killed git has locked': (repository) => writeFileSync(path.join(repository, 'index.lock'), ''),
    'that is removed': (repository) => rmSync(repository, { recursive: true }),
    'without its head': (repository) => unlinkSync(path.join(repository, 'HEAD')),
  };
  for (const [damage, apply] of Object.entries(damages))
    it(`${damage} records the next turn`, async (t) => {
      const { lab, worker, at } = await workplace(t);
      await worker.turn(() => writeFileSync(at('a.txt'), 'b\n'));
      apply(await lab.repository());
      const set = await worker.turn(() => writeFileSync(at('a.txt'), 'c\n'));
      assert.equal(worker.changes.failure, undefined);
      assert.deepEqual(rows(set), ['modified a.txt']);
      assert.deepEqual((await worker.undo()).left, []);
      assert.equal(readFileSync(at('a.txt'), 'utf8'), 'b\n');
    });

  it('that is removed during a turn is said, and what it had is not recorded any more', async (t) => {
    const { lab, worker, at } = await workplace(t);
    const set = await worker.turn(() => writeFileSync(at('a.txt'), 'b\n'));
    await worker.turn(async () => {
      rmSync(await lab.repository(), { recursive: true });
      writeFileSync(at('a.txt'), 'c\n');
    });
    assert.equal(reasonOf(worker), 'git_failed');
    await assert.rejects(worker.undo([set?.id ?? '']), { code: 'changes_unknown', params: { reason: 'not_recorded' } });
    await assert.rejects(worker.undo(['unknown']), { code: 'changes_unknown', params: { reason: 'not_recorded' } });
  });
});

describe('git', { skip: posixOnly }, () => {
  const { PATH } = process.env;
  afterEach(() => {
    process.env.PATH = PATH;
  });

  it('that is missing is said, and used once it is there', async (t) => {
    const { worker, at } = await workplace(t);
    process.env.PATH = '';
    await worker.turn(() => writeFileSync(at('a.txt'), 'b\n'));
    assert.equal(reasonOf(worker), 'no_git');
    process.env.PATH = PATH;
    assert.deepEqual(rows(await worker.turn(() => writeFileSync(at('a.txt'), 'c\n'))), ['modified a.txt']);
    assert.equal(worker.changes.failure, undefined);
  });

  /** Puts a program in the place of git. */
  function fakeGit({ stateFolder }: ChangesLab, script: string): string {
    const folder = path.join(path.dirname(stateFolder), 'bin');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'git'), `#!/bin/sh\n${script}\n`);
    chmodSync(path.join(folder, 'git'), 0o755);
    process.env.PATH = `${folder}:${PATH}`;
    return folder;
  }

  it('that the system ends because a file is cut while it is read, is run again', async (t) => {
    const { lab, worker, at } = await workplace(t);
    await worker.turn(() => {});
    const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
    const once = `[ ! -e "$0.ran" ] && case "$*" in *update-index*) touch "$0.ran" "$GIT_INDEX_FILE.lock"; kill -BUS $$;; esac`;
    const folder = fakeGit(lab, `${once}\nexec '${real}' "$@"`);
    const next = new FolderChanges(lab.stateFolder, lab.folder);
    const before = await next.snapshot();
    writeFileSync(at('a.txt'), 'b\n');
    assert.notDeepEqual((await next.snapshot()).trees, before.trees);
    assert.ok(existsSync(path.join(folder, 'git.ran')));
  });

  /** Each time git has stored files, so much time seems to have passed. */
  async function slowLab(t: TestContext, passesMs: number): Promise<{ lab: ChangesLab; worker: Worker; writeFiles: () => void }> {
    const lab = await changesLab(t, { snapshotLimitMs: 30_000, filesStoredAtOnce: 2 });
    const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
    const bin = fakeGit(lab, `case "$*" in *--replace*) echo x >> "$0.runs";; esac\nexec '${real}' "$@"`);
    const runs = path.join(bin, 'git.runs');
    const passed = (): number => (existsSync(runs) ? readFileSync(runs, 'utf8').length / 2 : 0);
    const now = performance.now.bind(performance);
    t.mock.method(performance, 'now', () => now() + passed() * passesMs);
    const writeFiles = (): void => {
      for (let index = 0; index < 24; index++) writeFileSync(path.join(lab.folder, `${index}.txt`), `${index}\n`);
    };
    return { lab, worker: lab.worker(), writeFiles };
  }

  it('that needs long for many changed files goes on, and all of them are recorded', async (t) => {
    const { lab, worker, writeFiles } = await slowLab(t, 20_000);
    const set = await worker.turn(writeFiles);
    assert.equal(worker.changes.failure, undefined);
    assert.deepEqual([set?.fileCount, set?.added], [24, 24]);
    assert.deepEqual((await worker.undo()).left, []);
    assert.equal((await filesIn(lab.folder)).size, 0);
  });

  it('that needs too long for many changed files is said to', async (t) => {
    const { worker, writeFiles } = await slowLab(t, 29_000);
    await worker.turn(writeFiles);
    assert.equal(reasonOf(worker), 'too_slow');
  });

  it('that hangs is ended with all that it started, and is not tried again for a while', async (t) => {
    const lab = await changesLab(t, { snapshotLimitMs: 200 });
    const folder = fakeGit(lab, 'echo x >> "$0.runs"\nsleep 1000');
    const worker = lab.worker();
    await worker.turn(() => {});
    assert.equal(reasonOf(worker), 'too_slow');
    const runs = readFileSync(path.join(folder, 'git.runs'), 'utf8');
    await worker.turn(() => {});
    assert.equal(reasonOf(worker), 'too_slow');
    assert.equal(readFileSync(path.join(folder, 'git.runs'), 'utf8'), runs);
  });
});
