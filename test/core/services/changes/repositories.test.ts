/** Whatever kind of repository the folder is in: every change is listed and taken back, and the repository is only read. */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { type ChangesLab, changesLab, commitAll, filesIn, git, type LabOptions, posixOnly, rows } from './changesLab.js';

const text = Array.from({ length: 12 }, (_, line) => `line ${line}\n`).join('');

/** The files of a project, with what is ignored. */
function fill(folder: string): void {
  mkdirSync(path.join(folder, 'src/deep'), { recursive: true });
  mkdirSync(path.join(folder, 'build'), { recursive: true });
  writeFileSync(path.join(folder, 'src/a.txt'), text);
  writeFileSync(path.join(folder, 'src/b.txt'), `b\n${text}`);
  writeFileSync(path.join(folder, 'src/deep/c.txt'), 'c\r\n');
  writeFileSync(path.join(folder, 'untracked.txt'), 'not committed\n');
  writeFileSync(path.join(folder, '.gitignore'), 'build/\n');
  writeFileSync(path.join(folder, 'build/out'), 'ignored');
}

function repositoryIn(folder: string, ...options: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '--quiet', ...options);
  fill(folder);
  git(folder, 'add', 'src', '.gitignore');
  git(folder, 'commit', '--quiet', '-m', 'first');
}

/** Of each kind: how it is made, and where the conversation works. */
const kinds: Readonly<Record<string, LabOptions>> = {
  'no repository': { prepare: fill },
  'a repository': { prepare: (work) => repositoryIn(work) },
  'a repository without a commit': {
    prepare(work) {
      git(work, 'init', '--quiet');
      fill(work);
    },
  },
  'a repository whose objects have SHA-256 names': { prepare: (work) => repositoryIn(work, '--object-format=sha256') },
  'a folder of a repository': {
    below: 'packages/one',
    prepare(work) {
      git(work, 'init', '--quiet');
      fill(path.join(work, 'packages/one'));
      fill(path.join(work, 'packages/two'));
      writeFileSync(path.join(work, '.gitignore'), 'logs/\n');
      commitAll(work);
    },
  },
  'a shallow clone': {
    below: 'clone',
    prepare(work) {
      repositoryIn(path.join(work, 'origin'));
      commitAll(path.join(work, 'origin'), 'second');
      git(work, 'clone', '--quiet', '--depth=1', `file://${work}/origin`, 'clone');
      fill(path.join(work, 'clone'));
    },
  },
  'a sparse checkout': {
    prepare(work) {
      repositoryIn(work);
      mkdirSync(path.join(work, 'other'));
      writeFileSync(path.join(work, 'other/far'), 'far');
      commitAll(work);
      git(work, 'sparse-checkout', 'set', 'src');
      fill(work);
    },
  },
  'a linked worktree': {
    below: 'linked',
    prepare(work) {
      repositoryIn(path.join(work, 'main'));
      git(path.join(work, 'main'), 'worktree', 'add', '--quiet', '../linked');
      fill(path.join(work, 'linked'));
    },
  },
  'a worktree of a bare repository': {
    below: 'linked',
    prepare(work) {
      repositoryIn(path.join(work, 'origin'));
      git(work, 'clone', '--quiet', '--bare', 'origin', 'bare.git');
      git(path.join(work, 'bare.git'), 'worktree', 'add', '--quiet', '../linked');
      fill(path.join(work, 'linked'));
    },
  },
  'a submodule': {
    below: 'main/module',
    prepare(work) {
      repositoryIn(path.join(work, 'origin'));
      repositoryIn(path.join(work, 'main'));
      git(path.join(work, 'main'), 'submodule', 'add', '--quiet', `${work}/origin`, 'module');
      fill(path.join(work, 'main/module'));
    },
  },
  'a folder that a repository ignores': {
    below: 'tmp/play',
    prepare(work) {
      repositoryIn(work);
      writeFileSync(path.join(work, '.gitignore'), 'tmp/\n');
      fill(path.join(work, 'tmp/play'));
    },
  },
  'a repository whose objects are missing': {
    prepare(work) {
      repositoryIn(work);
      rmSync(path.join(work, '.git/objects'), { recursive: true });
    },
  },
};

/** All that belongs to a repository of the user. */
async function repositoriesOf({ stateFolder }: ChangesLab): Promise<ReadonlyMap<string, unknown>> {
  const all = await filesIn(path.join(path.dirname(stateFolder), 'work'), []);
  return new Map([...all].filter(([name]) => /(?:^|\/)\.git(?:\/|$)/.test(name)));
}

function change(folder: string): void {
  writeFileSync(path.join(folder, 'src/a.txt'), text.replace('line 3', 'line three'));
  renameSync(path.join(folder, 'src/b.txt'), path.join(folder, 'src/renamed.txt'));
  rmSync(path.join(folder, 'src/deep'), { recursive: true });
  writeFileSync(path.join(folder, 'untracked.txt'), 'still not committed\n');
  writeFileSync(path.join(folder, 'new.txt'), 'new\n');
  writeFileSync(path.join(folder, 'build/out'), 'ignored, too');
}
const changed = [
  'added new.txt',
  'modified src/a.txt',
  'deleted src/deep/c.txt',
  'renamed src/renamed.txt from src/b.txt',
  'modified untracked.txt',
];

describe('the changes of a turn, and their undo, in', { skip: posixOnly }, () => {
  for (const [kind, options] of Object.entries(kinds))
    it(kind, async (t) => {
      const lab = await changesLab(t, options);
      const worker = lab.worker();
      const repositories = await repositoriesOf(lab);
      const before = await filesIn(lab.folder, ['.git', 'build']);
      const set = await worker.turn(() => change(lab.folder));
      assert.equal(worker.changes.failure, undefined);
      assert.deepEqual(rows(set), changed);
      assert.deepEqual([set?.added, set?.removed], [3, 3]);
      const after = await filesIn(lab.folder, ['.git', 'build']);
      const { id = '' } = await worker.undo();
      assert.deepEqual(await filesIn(lab.folder, ['.git', 'build']), before);
      await worker.undo([id]);
      assert.deepEqual(await filesIn(lab.folder, ['.git', 'build']), after);
      assert.equal((await worker.changes.content(set?.id ?? '', 'src/a.txt', 'before'))?.toString(), text);
      assert.deepEqual(await repositoriesOf(lab), repositories);
    });
});

describe('a repository in the folder', { skip: posixOnly }, () => {
  it('has its changes listed below its path, also if it is new, and if it is gone', async (t) => {
    const lab = await changesLab(t, {
      prepare(work) {
        repositoryIn(work);
        repositoryIn(path.join(work, 'inner'));
      },
    });
    const inner = path.join(lab.folder, 'inner');
    const worker = lab.worker();
    const repositories = await repositoriesOf(lab);
    const set = await worker.turn(() => {
      writeFileSync(path.join(inner, 'src/a.txt'), 'inner');
      renameSync(path.join(inner, 'src/b.txt'), path.join(lab.folder, 'moved.txt'));
    });
    assert.deepEqual(rows(set), ['modified inner/src/a.txt', 'renamed moved.txt from inner/src/b.txt']);
    await worker.undo();
    assert.deepEqual(await repositoriesOf(lab), repositories);
    const files = await filesIn(lab.folder);
    // Its files stay the same, whose repository they are in.
    assert.deepEqual(rows(await worker.turn(() => renameSync(path.join(inner, '.git'), path.join(lab.folder, 'src/.git')))), []);
    assert.deepEqual(await filesIn(lab.folder), files);
    const cloned = await worker.turn(() => repositoryIn(path.join(lab.folder, 'clone')));
    assert.equal(cloned?.fileCount, 5);
    await worker.undo();
    assert.deepEqual(await filesIn(lab.folder, ['.git', 'clone']), files);
    // It ignores that file itself.
    assert.deepEqual([...(await filesIn(path.join(lab.folder, 'clone'))).keys()], ['build/out']);
  });

  it('is part of the folder if that becomes a repository in the meantime', async (t) => {
    const lab = await changesLab(t, { prepare: fill });
    const worker = lab.worker();
    const set = await worker.turn(() => {
      repositoryIn(lab.folder);
      change(lab.folder);
    });
    assert.deepEqual(rows(set), changed);
  });
});

describe('a bare repository', { skip: posixOnly }, () => {
  for (const [place, repository] of [
    ['beside its worktree', '.bare'],
    ['that is the folder', '.'],
  ] as const)
    it(`${place} is never taken, whatever is committed there, and an undo leaves it as it is`, async (t) => {
      const lab = await changesLab(t, {
        prepare(work) {
          repositoryIn(path.join(work, '../origin'));
          if (repository === '.') return void git(work, 'clone', '--quiet', '--bare', '../origin', '.');
          git(work, 'clone', '--quiet', '--bare', '../origin', repository);
          writeFileSync(path.join(work, '.git'), `gitdir: ./${repository}\n`);
          git(path.join(work, repository), 'worktree', 'add', '--quiet', '../one');
        },
      });
      const worker = lab.worker();
      const commit = (): void => {
        const where = path.join(lab.folder, repository);
        const tree = git(where, 'rev-parse', 'HEAD^{tree}');
        git(where, 'update-ref', 'HEAD', git(where, 'commit-tree', tree, '-p', 'HEAD', '-m', 'by the agent'));
      };
      const set = await worker.turn(() => {
        commit();
        if (repository !== '.') writeFileSync(path.join(lab.folder, 'one/src/a.txt'), 'changed\n');
      });
      assert.equal(worker.changes.failure, undefined);
      assert.deepEqual(rows(set), repository === '.' ? [] : ['modified one/src/a.txt']);
      const committed = git(path.join(lab.folder, repository), 'log', '--format=%s', '-1');
      if (set !== undefined) assert.deepEqual((await worker.undo()).left, []);
      assert.equal(git(path.join(lab.folder, repository), 'log', '--format=%s', '-1'), committed);
      assert.equal(committed, 'by the agent');
    });
});

describe('what the project removes from its repository', { skip: posixOnly }, () => {
  it('is still there for an undo', async (t) => {
    const lab = await changesLab(t, { prepare: (work) => repositoryIn(work) });
    const worker = lab.worker();
    const before = await filesIn(lab.folder, ['.git', 'build']);
    await worker.turn(() => change(lab.folder));
    git(lab.folder, 'commit', '--quiet', '--all', '--amend', '-m', 'other');
    git(lab.folder, '-c', 'gc.reflogExpire=now', '-c', 'gc.reflogExpireUnreachable=now', 'reflog', 'expire', '--all', '--expire=now');
    git(lab.folder, 'gc', '--quiet', '--prune=now');
    await worker.undo();
    assert.deepEqual(await filesIn(lab.folder, ['.git', 'build']), before);
    rmSync(path.join(lab.folder, '.git'), { recursive: true });
    const next = lab.worker({ id: 'c1' });
    await next.changes.load();
    const { left } = await next.undo([next.changes.sets.at(-1)?.id ?? '']);
    assert.deepEqual(left, []);
    assert.deepEqual(rows(await next.turn(() => writeFileSync(path.join(lab.folder, 'src/a.txt'), 'more'))), ['modified src/a.txt']);
    assert.equal(next.changes.failure, undefined);
  });

  it('during a turn is listed as not kept, and the rest is taken back', async (t) => {
    const lab = await changesLab(t, {
      prepare(work) {
        repositoryIn(work);
        writeFileSync(path.join(work, 'staged.txt'), 'only staged\n');
        git(work, 'add', 'staged.txt');
      },
    });
    const worker = lab.worker();
    const set = await worker.turn(() => {
      writeFileSync(path.join(lab.folder, 'staged.txt'), 'changed\n');
      writeFileSync(path.join(lab.folder, 'src/a.txt'), 'changed\n');
      git(lab.folder, 'reset', '--quiet');
      git(lab.folder, 'gc', '--quiet', '--prune=now');
    });
    assert.deepEqual(rows(set), ['modified src/a.txt', 'modified staged.txt']);
    assert.deepEqual(
      set?.files.map(({ unkept }) => unkept),
      [undefined, 'gone'],
    );
    const { undone, left } = await worker.undo();
    assert.deepEqual([undone, left], [['src/a.txt'], [{ path: 'staged.txt', why: 'unkept', detail: 'gone' }]]);
  });
});

describe('what git ignores', { skip: posixOnly }, () => {
  it('is left out, by the ignore files of the project, also above the folder, and its own list', async (t) => {
    const lab = await changesLab(t, {
      below: 'one',
      prepare(work) {
        repositoryIn(path.join(work, 'one'));
        rmSync(path.join(work, 'one/.git'), { recursive: true });
        git(work, 'init', '--quiet');
        writeFileSync(path.join(work, '.gitignore'), '*.log\n');
        writeFileSync(path.join(work, '.git/info/exclude'), '*.local\n');
      },
    });
    const write = (...names: readonly string[]): void => names.forEach((name) => writeFileSync(path.join(lab.folder, name), 'x'));
    mkdirSync(path.join(lab.folder, 'node_modules'));
    const set = await lab.worker().turn(() => {
      write('a.log', 'b.local', 'build/c', 'node_modules/d', 'e.txt', 'src/f.log', 'src/g.txt');
      writeFileSync(path.join(lab.folder, '../beside.txt'), 'x');
    });
    assert.deepEqual(rows(set), ['added e.txt', 'added src/g.txt']);
  });

  it('is not left out if the repository has it all the same', async (t) => {
    const lab = await changesLab(t, {
      below: 'src',
      prepare(work) {
        repositoryIn(work);
        writeFileSync(path.join(work, '.gitignore'), '*.local\nbuild/\n');
        for (const name of ['src/a.local', 'src/deep/b.local', 'c.local', 'src/.env']) writeFileSync(path.join(work, name), 'before\n');
        git(work, 'add', '--all', '--force');
        writeFileSync(path.join(work, 'src/untracked.local'), 'before\n');
      },
    });
    const worker = lab.worker();
    const at = (name: string): string => path.join(lab.folder, name);
    for (const content of ['one\n', 'two\n']) {
      const set = await worker.turn(() => {
        for (const name of ['a.local', 'deep/b.local', '../c.local', 'untracked.local']) writeFileSync(at(name), content);
        writeFileSync(at('.gitignore'), `# ${content}`);
      });
      assert.deepEqual(
        rows(set).map((one) => one.split(' ')[1]),
        ['.gitignore', 'a.local', 'deep/b.local'],
      );
    }
    assert.deepEqual((await worker.undo(worker.changes.sets.map(({ id }) => id))).left, []);
    assert.equal((await filesIn(lab.folder)).get('deep/b.local')?.content, 'before\n');
    assert.deepEqual(rows(await worker.turn(() => rmSync(at('a.local')))), ['deleted a.local']);
  });

  it('is not new when it is not ignored any more, and not deleted when it is', async (t) => {
    const lab = await changesLab(t, { prepare: (work) => repositoryIn(work) });
    const worker = lab.worker();
    const before = await filesIn(lab.folder);
    const set = await worker.turn(() => {
      writeFileSync(path.join(lab.folder, '.gitignore'), 'src/\n');
      writeFileSync(path.join(lab.folder, 'build/new'), 'new');
    });
    assert.deepEqual(rows(set), ['modified .gitignore', 'added build/new']);
    await worker.undo();
    assert.deepEqual(await filesIn(lab.folder), before);
    const other = await worker.turn(() => {
      rmSync(path.join(lab.folder, '.gitignore'));
      writeFileSync(path.join(lab.folder, 'build/out'), 'changed, and ignored before');
    });
    assert.deepEqual(rows(other), ['deleted .gitignore', 'modified build/out']);
    assert.deepEqual((await worker.undo()).left, [{ path: 'build/out', why: 'unkept', detail: 'unseen' }]);
    assert.equal((await filesIn(lab.folder)).get('build/out')?.content, 'changed, and ignored before');
  });
});

describe('what the user excludes', { skip: posixOnly }, () => {
  it('is never taken, also where the project has it or says otherwise, and in repositories in the folder', async (t) => {
    const lab = await changesLab(t, {
      exclude: ['data/', '*.csv', '/top.txt'],
      prepare(work) {
        repositoryIn(work);
        mkdirSync(path.join(work, 'data'));
        writeFileSync(path.join(work, '.gitignore'), '!data/\n!*.csv\n*.csv\n');
        for (const name of ['data/tracked', 'tracked.csv', 'top.txt']) writeFileSync(path.join(work, name), 'before');
        git(work, 'add', '--all', '--force');
        mkdirSync(path.join(work, 'nested/data'), { recursive: true });
        git(path.join(work, 'nested'), 'init', '--quiet');
      },
    });
    const names = [
      'data/tracked',
      'data/new',
      'tracked.csv',
      'new.csv',
      'top.txt',
      'src/top.txt',
      'nested/data/x',
      'nested/x.csv',
      'nested/x',
    ];
    const set = await lab.worker().turn(() => names.forEach((name) => writeFileSync(path.join(lab.folder, name), 'after')));
    assert.deepEqual(rows(set), ['added nested/x', 'added src/top.txt']);
  });

  it('is neither new nor deleted when that changes, which it does from the next turn on', async (t) => {
    const lab = await changesLab(t, { prepare: (work) => repositoryIn(work) });
    const worker = lab.worker();
    const write = (content: string): void => ['src/a.txt', 'b.txt'].forEach((name) => writeFileSync(path.join(lab.folder, name), content));
    const limitBytes = 1_000_000;
    write('before');
    await worker.turn(() => write('one'));
    const during = await worker.turn(() => {
      lab.recorded.configure({ limitBytes, exclude: ['src/'] });
      write('two');
    });
    assert.deepEqual(rows(during), ['modified b.txt', 'modified src/a.txt']);
    assert.deepEqual(rows(await worker.turn(() => write('three'))), ['modified b.txt']);
    const again = await worker.turn(() => {
      lab.recorded.configure({ limitBytes, exclude: [] });
      write('four');
    });
    assert.deepEqual(rows(again), ['modified b.txt']);
    assert.deepEqual(rows(await worker.turn(() => write('five'))), ['modified b.txt', 'modified src/a.txt']);
  });
});
