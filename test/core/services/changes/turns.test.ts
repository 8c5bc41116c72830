/** Who changed what in a turn, and what an undo does with what came after it. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { ChangeSet } from '../../../../src/core/session/changes.js';
import { type ChangesLab, changesLab, filesIn, posixOnly, rows, type Worker } from './changesLab.js';

const text = (...changed: readonly (readonly [number, string])[]): string => {
  const lines = Array.from({ length: 20 }, (_, line) => `line ${line}`);
  for (const [line, words] of changed) lines[line] = words;
  return `${lines.join('\n')}\n`;
};

interface Workplace {
  readonly lab: ChangesLab;
  readonly worker: Worker;
  at(name: string): string;
  write(name: string, content: string): void;
  read(name: string): string;
}

async function workplace(t: Parameters<typeof changesLab>[0]): Promise<Workplace> {
  const lab = await changesLab(t, {
    prepare(work) {
      mkdirSync(path.join(work, 'd'));
      for (const name of ['a.txt', 'd/c.txt']) writeFileSync(path.join(work, name), text());
      writeFileSync(path.join(work, 'b.txt'), text([19, 'another one']));
    },
  });
  const at = (name: string): string => path.join(lab.folder, name);
  return {
    lab,
    worker: lab.worker(),
    at,
    write: (name, content) => writeFileSync(at(name), content),
    read: (name) => readFileSync(at(name), 'utf8'),
  };
}

const isMarked = (worker: Worker, id: string | undefined): readonly (true | undefined)[] =>
  worker.changes.sets.find((set) => set.id === id)?.files.map(({ isUndone }) => isUndone) ?? [];

describe('a turn', { skip: posixOnly }, () => {
  it('says what a tool call announced, by any name of the folder', async (t) => {
    const { lab, at, write } = await workplace(t);
    symlinkSync(lab.folder, `${lab.folder}-link`);
    const worker = lab.worker({ cwd: `${lab.folder}-link` });
    const named = [at('a.txt'), `${lab.folder}-link/b.txt`, 'd/c.txt', '/elsewhere', '..', ''];
    const set = await worker.turn(() => ['a.txt', 'b.txt', 'd/c.txt', 'e.txt'].forEach((name) => write(name, 'changed')), { named });
    assert.deepEqual(
      set?.files.map(({ path: name, by }) => `${name} ${by}`),
      ['a.txt tool', 'b.txt tool', 'd/c.txt tool', 'e.txt other'],
    );
  });

  it('says what the user saved meanwhile, and that is only taken back by its name', async (t) => {
    const { lab, at, write, read } = await workplace(t);
    symlinkSync(lab.folder, `${lab.folder}-link`);
    const worker = lab.worker({ cwd: `${lab.folder}-link` });
    const set = await worker.turn(() => {
      for (const name of ['a.txt', 'b.txt', 'd/c.txt']) write(name, 'changed');
      lab.recorded.noteSaved(at('a.txt'));
      lab.recorded.noteSaved(`${lab.folder}-link/b.txt`);
    });
    assert.deepEqual(
      set?.files.map(({ alsoUser }) => alsoUser),
      [true, true, undefined],
    );
    const { undone, left } = await worker.undo();
    assert.deepEqual(undone, ['d/c.txt']);
    assert.deepEqual(
      left,
      ['a.txt', 'b.txt'].map((name) => ({ path: name, why: 'also_user' })),
    );
    assert.deepEqual((await worker.undo(undefined, ['a.txt'])).undone, ['a.txt']);
    assert.deepEqual([read('a.txt'), read('b.txt')], [text(), 'changed']);
  });

  it('does not take an undo during it for work of the agent', async (t) => {
    const { lab, worker, write } = await workplace(t);
    const first = await worker.turn(() => write('a.txt', 'changed'));
    const other = lab.worker();
    const [own, others] = await Promise.all([worker.turn(async () => void (await worker.undo([first?.id ?? '']))), other.turn(() => {})]);
    for (const set of [own, others].filter((one) => one !== undefined)) {
      assert.deepEqual(rows(set), ['modified a.txt']);
      assert.equal(set.files[0]?.alsoUser, true);
    }
    assert.ok(own !== undefined);
  });

  it('says that another conversation worked in the folder at the same time, and not if it did before or after', async (t) => {
    const { lab, worker, write } = await workplace(t);
    const other = lab.worker();
    const turns = await Promise.all([worker.turn(() => write('a.txt', 'one')), other.turn(() => write('b.txt', 'two'))]);
    assert.deepEqual(
      turns.map((set) => set?.problems),
      [['shared'], ['shared']],
    );
    assert.deepEqual((await worker.turn(() => write('a.txt', 'three')))?.problems, []);
    assert.deepEqual((await other.turn(() => write('a.txt', 'four')))?.problems, []);
  });

  it('that begins when another one has ended has its changes behind it', async (t) => {
    const { lab, worker, write } = await workplace(t);
    const other = lab.worker();
    await worker.changes.begin('one');
    write('a.txt', 'one');
    const ended = worker.changes.end('one', new Set());
    await other.changes.begin('two');
    write('b.txt', 'two');
    await Promise.all([ended, other.changes.end('two', new Set())]);
    assert.deepEqual(
      [worker, other].map(({ changes }) => rows(changes.sets.at(-1))),
      [['modified a.txt'], ['modified b.txt']],
    );
  });

  it('shows what it changed so far, of many files some, and then all counts', async (t) => {
    const { worker, write } = await workplace(t);
    let seen: ChangeSet | undefined;
    await worker.changes.begin('turn');
    const isSeen = new Promise<void>((resolve) => {
      worker.changes.onChange(() => {
        seen = worker.changes.sets.at(-1);
        resolve();
      });
    });
    for (let index = 0; index < 150; index++) write(`d/${index}.txt`, 'new\n');
    worker.changes.look('another turn', () => new Set());
    worker.changes.look('turn', () => new Set());
    await isSeen;
    assert.deepEqual([seen?.kind, seen?.fileCount, seen?.files.length, seen?.added], ['running', 150, 100, 150]);
    write('a.txt', 'changed');
    await worker.changes.end('turn', new Set());
    assert.deepEqual(
      worker.changes.sets.map(({ kind, fileCount }) => [kind, fileCount]),
      [['turn', 151]],
    );
  });

  it('records nothing for a conversation that is removed', async (t) => {
    const { lab, worker, write } = await workplace(t);
    await worker.turn(() => write('a.txt', 'one'));
    await worker.turn(async () => {
      write('a.txt', 'two');
      worker.changes.dispose();
      await lab.recorded.remove('c1');
    });
    const next = lab.worker({ id: 'c1' });
    await next.changes.load();
    assert.deepEqual(next.changes.sets, []);
  });
});

describe('an undo', { skip: posixOnly }, () => {
  it('keeps what a later turn and the user changed in other lines, and leaves the file otherwise', async (t) => {
    const { worker, write, read } = await workplace(t);
    const first = await worker.turn(() => {
      write('a.txt', text([2, 'agent']));
      write('b.txt', text([2, 'agent']));
    });
    const second = await worker.turn(() => {
      write('a.txt', text([2, 'agent'], [10, 'agent, too']));
      write('b.txt', text([2, 'agent once more']));
    });
    write('a.txt', text([2, 'agent'], [10, 'agent, too'], [18, 'user']));
    const { undone, left, id = '' } = await worker.undo([first?.id ?? '']);
    assert.deepEqual([undone, left], [['a.txt'], [{ path: 'b.txt', why: 'changed' }]]);
    assert.equal(read('a.txt'), text([10, 'agent, too'], [18, 'user']));
    assert.deepEqual(isMarked(worker, first?.id), [true, undefined]);
    await worker.undo([id]);
    assert.equal(read('a.txt'), text([2, 'agent'], [10, 'agent, too'], [18, 'user']));
    assert.deepEqual(isMarked(worker, first?.id), [undefined, undefined]);
    // Both at once.
    assert.deepEqual((await worker.undo([first?.id ?? '', second?.id ?? ''])).left, []);
    assert.deepEqual([read('a.txt'), read('b.txt')], [text([18, 'user']), text([19, 'another one'])]);
    assert.deepEqual([...isMarked(worker, first?.id), ...isMarked(worker, second?.id)], [true, true, true, true]);
  });

  it('leaves a file with all of its turns if one of them can not be taken back', async (t) => {
    const { worker, write, read } = await workplace(t);
    const first = await worker.turn(() => write('a.txt', text([2, 'agent'])));
    write('a.txt', text([2, 'user']));
    const second = await worker.turn(() => write('a.txt', text([2, 'user'], [10, 'agent'])));
    const ids = [first?.id ?? '', second?.id ?? ''];
    assert.deepEqual(await worker.undo(ids), { undone: [], left: [{ path: 'a.txt', why: 'changed' }] });
    assert.equal(read('a.txt'), text([2, 'user'], [10, 'agent']));
    assert.equal(worker.changes.sets.length, 2);
    assert.deepEqual((await worker.undo(ids.slice(1))).left, []);
    assert.equal(read('a.txt'), text([2, 'user']));
  });

  it('takes back modes alone, and keeps the mode or the text that was changed since', async (t) => {
    const { lab, worker, at, write, read } = await workplace(t);
    const set = await worker.turn(() => {
      for (const name of ['a.txt', 'b.txt']) chmodSync(at(name), 0o755);
      write('d/c.txt', text([2, 'agent']));
    });
    assert.deepEqual(rows(set), ['modified a.txt', 'modified b.txt', 'modified d/c.txt']);
    assert.deepEqual([set?.added, set?.removed], [1, 1]);
    write('b.txt', '\0 user');
    chmodSync(at('d/c.txt'), 0o755);
    assert.deepEqual((await worker.undo()).left, []);
    const files = [...(await filesIn(lab.folder))].map(([name, { mode }]) => `${name} ${mode}`);
    assert.deepEqual(files, ['a.txt file', 'b.txt file', 'd/c.txt program']);
    assert.deepEqual([read('b.txt'), read('d/c.txt')], ['\0 user', text()]);
  });

  it('gives a file its name back, with what the user wrote in it, or leaves both', async (t) => {
    const { lab, worker, at, write, read } = await workplace(t);
    const set = await worker.turn(() => {
      renameSync(at('a.txt'), at('e.txt'));
      renameSync(at('b.txt'), at('f.txt'));
      write('e.txt', text([2, 'agent']));
    });
    assert.deepEqual(rows(set), ['renamed e.txt from a.txt', 'renamed f.txt from b.txt']);
    write('e.txt', text([2, 'agent'], [10, 'user']));
    write('b.txt', 'user');
    const { undone, left, id = '' } = await worker.undo();
    assert.deepEqual([undone, left], [['e.txt'], [{ path: 'f.txt', why: 'changed' }]]);
    assert.deepEqual([...(await filesIn(lab.folder)).keys()], ['a.txt', 'b.txt', 'd/c.txt', 'f.txt']);
    assert.equal(read('a.txt'), text([10, 'user']));
    assert.deepEqual(isMarked(worker, set?.id), [true, undefined]);
    assert.deepEqual((await worker.undo([id], ['e.txt'])).left, []);
    assert.equal(read('e.txt'), text([2, 'agent'], [10, 'user']));
    assert.deepEqual(isMarked(worker, set?.id), [undefined, undefined]);
  });

  it('leaves a file that was renamed since, unless that is undone, too', async (t) => {
    const { lab, worker, at, write } = await workplace(t);
    const before = await filesIn(lab.folder);
    const first = await worker.turn(() => write('a.txt', text([2, 'agent'])));
    const second = await worker.turn(() => renameSync(at('a.txt'), at('e.txt')));
    assert.deepEqual((await worker.undo([first?.id ?? ''])).left, [{ path: 'a.txt', why: 'changed', detail: 'e.txt' }]);
    assert.deepEqual((await worker.undo([first?.id ?? '', second?.id ?? ''])).left, []);
    assert.deepEqual(await filesIn(lab.folder), before);
  });

  it('marks what the user has taken back already, and changes nothing then', async (t) => {
    const { worker, write } = await workplace(t);
    const set = await worker.turn(() => write('a.txt', 'agent'));
    write('a.txt', text());
    assert.deepEqual(await worker.undo(), { undone: ['a.txt'], left: [] });
    assert.deepEqual(isMarked(worker, set?.id), [true]);
  });

  it('leaves what is taken back already, whatever became of it since', async (t) => {
    const { worker, write, read } = await workplace(t);
    const first = await worker.turn(() => ['a.txt', 'b.txt'].forEach((name) => write(name, 'one')));
    const second = await worker.turn(() => ['a.txt', 'b.txt'].forEach((name) => write(name, 'two')));
    await worker.undo([second?.id ?? ''], ['a.txt']);
    write('a.txt', 'two');
    assert.deepEqual(await worker.undo([second?.id ?? ''], ['a.txt']), { undone: [], left: [] });
    assert.deepEqual((await worker.undo([second?.id ?? ''])).undone, ['b.txt']);
    const { undone, left } = await worker.undo([first?.id ?? '', second?.id ?? '']);
    assert.deepEqual([undone, left], [['b.txt'], [{ path: 'a.txt', why: 'changed' }]]);
    assert.deepEqual([read('a.txt'), read('b.txt')], ['two', text([19, 'another one'])]);
  });

  it('is the same for the next engine, also if the clock was set back', async (t) => {
    const { lab, worker, write } = await workplace(t);
    t.mock.method(Date, 'now', () => 1_000_000 - worker.changes.sets.length);
    const set = await worker.turn(() => write('a.txt', 'agent'));
    const { id = '' } = await worker.undo();
    await worker.undo([id]);
    await worker.changes.review([set?.id ?? ''], ['a.txt']);
    const next = lab.worker({ id: 'c1' });
    await next.changes.load();
    assert.deepEqual(next.changes.sets, worker.changes.sets);
    assert.deepEqual([set?.at, ...next.changes.sets.map(({ at }) => at)], [1_000_000, 1_000_000, 1_000_001, 1_000_002]);
    assert.deepEqual((await next.undo([set?.id ?? ''])).undone, ['a.txt']);
  });

  it('keeps which parts of a file were reviewed, and which files after all were not', async (t) => {
    const { lab, worker, at, write } = await workplace(t);
    const first = (await worker.turn(() => write('a.txt', 'agent')))?.id ?? '';
    const second = (await worker.turn(() => renameSync(at('a.txt'), at('e.txt'))))?.id ?? '';
    await worker.changes.reviewHunk(first, 'a.txt', 'one');
    await worker.changes.reviewHunk(first, 'a.txt', 'two');
    await worker.changes.reviewHunk(second, 'a.txt', 'three');
    await worker.changes.review([first], ['a.txt']);
    await worker.changes.review([second], ['e.txt']);
    await worker.changes.reviewAgain(first, 'a.txt');
    const next = lab.worker({ id: 'c1' });
    await next.changes.load();
    assert.deepEqual(next.changes.sets, worker.changes.sets);
    assert.deepEqual(
      next.changes.sets.map(({ files }) => files.map((file) => [file.path, file.isReviewed ?? false, file.reviewedHunks])),
      [[['a.txt', false, ['one', 'two']]], [['e.txt', true, ['three']]]],
    );
  });

  it('puts a file in the place of folders without files, and leaves those with one as they are', async (t) => {
    const { lab, worker, at, write } = await workplace(t);
    const before = await filesIn(lab.folder);
    await worker.turn(() => {
      for (const name of ['a.txt', 'b.txt']) {
        unlinkSync(at(name));
        mkdirSync(at(`${name}/deep/empty`), { recursive: true });
      }
    });
    write('b.txt/deep/mine', 'user');
    assert.deepEqual((await worker.undo()).left, [{ path: 'b.txt', why: 'changed' }]);
    assert.ok(existsSync(at('b.txt/deep/empty')));
    rmSync(at('b.txt/deep/mine'));
    assert.deepEqual((await worker.undo()).left, []);
    assert.deepEqual(await filesIn(lab.folder), before);
  });

  it('creates no folder for what is not there, and leaves no empty one', async (t) => {
    const { lab, worker, at, write } = await workplace(t);
    const set = await worker.turn(() => {
      mkdirSync(at('new/deep'), { recursive: true });
      write('new/deep/e.txt', 'new');
      unlinkSync(at('d/c.txt'));
    });
    assert.equal(set?.fileCount, 2);
    const { id = '' } = await worker.undo();
    assert.deepEqual([...(await filesIn(lab.folder)).keys()], ['a.txt', 'b.txt', 'd/c.txt']);
    assert.throws(() => readFileSync(at('new')), { code: 'ENOENT' });
    await worker.undo([id]);
    assert.throws(() => readFileSync(at('d')), { code: 'ENOENT' });
  });
});
