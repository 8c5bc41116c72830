/** An agent that begins before the folder is recorded: what it changed first is taken from what its tool calls show, or said to be unknown. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { earlierText } from '../../../../src/core/services/changes/lateStart.js';
import { clockMs } from '../../../../src/core/services/changes/snapshot.js';
import type { ChangeSet, ShownEdit } from '../../../../src/core/session/changes.js';
import { type ChangesLab, changesLab, commitAll, git, type LabOptions, posixOnly, rows, type Worker } from './changesLab.js';

const lines = Array.from({ length: 12 }, (_, line) => `line ${line}\n`).join('');
const edit = (file: string, oldText: string, newText: string): ShownEdit => ({ path: file, oldText, newText });

/** Runs a turn whose agent works before the state of the folder is known, and after that unless it is `quick`. */
async function lateTurn(
  { recorded }: ChangesLab,
  worker: Worker,
  {
    early,
    later = () => {},
    quick = false,
    ...named
  }: { early: () => void; later?: () => void; quick?: boolean; edits?: readonly ShownEdit[]; named?: readonly string[] },
): Promise<ChangeSet | undefined> {
  let busy = Promise.resolve();
  const go = await new Promise<() => void>((begun) => {
    busy = recorded.exclusive(() => new Promise<void>((resolve) => begun(resolve)));
  });
  return worker.turn(async () => {
    early();
    // The end of the turn is told before that.
    if (quick) return void setImmediate().then(go);
    go();
    await busy;
    await recorded.settled();
    later();
  }, named);
}

async function workplace(t: Parameters<typeof changesLab>[0], o: LabOptions = {}) {
  const lab = await changesLab(t, {
    prepare(work) {
      mkdirSync(path.join(work, 'd'));
      for (const name of ['a.txt', 'b.txt', 'd/c.txt', 'd/windows.txt'])
        writeFileSync(path.join(work, name), name === 'd/windows.txt' ? lines.replaceAll('\n', '\r\n') : lines);
    },
    ...o,
  });
  const at = (name: string): string => path.join(lab.folder, name);
  // The clocks of file systems are coarse, so what is changed right before a turn counts as changed in it.
  while (Date.now() - statSync(at('d/windows.txt')).ctimeMs <= clockMs) await setImmediate();
  return {
    lab,
    at,
    worker: lab.worker({ waitMs: 1 }),
    replace: (name: string, old: string, now: string) => writeFileSync(at(name), readFileSync(at(name), 'utf8').replace(old, now)),
    read: (name: string) => readFileSync(at(name), 'utf8'),
  };
}

const unkeptOf = (set: ChangeSet | undefined): readonly unknown[] => set?.files.map(({ path: name, unkept }) => [name, unkept]) ?? [];

describe('a turn that begins before the state is known', { skip: posixOnly }, () => {
  it('says so, and has what the agent changed later', async (t) => {
    const { lab, worker, at } = await workplace(t);
    const set = await lateTurn(lab, worker, { early() {}, later: () => writeFileSync(at('a.txt'), 'late') });
    assert.deepEqual([set?.problems, rows(set), unkeptOf(set)], [['late'], ['modified a.txt'], [['a.txt', undefined]]]);
    assert.deepEqual((await worker.undo()).left, []);
  });

  it('has what the agent changed, also when the turn ends before the state is known', async (t) => {
    const { lab, worker, at, replace, read } = await workplace(t);
    const set = await lateTurn(lab, worker, {
      quick: true,
      edits: [edit(at('a.txt'), 'line 3\n', 'line three\n')],
      early: () => replace('a.txt', 'line 3\n', 'line three\n'),
    });
    assert.deepEqual([set?.problems, rows(set)], [['late'], ['modified a.txt']]);
    assert.deepEqual((await worker.undo()).left, []);
    assert.equal(read('a.txt'), lines);
  });

  for (const [kind, options] of Object.entries<LabOptions>({
    'no repository': {},
    'a folder of a repository': {
      below: 'one',
      prepare(work) {
        git(work, 'init', '--quiet');
        mkdirSync(path.join(work, 'one/d'), { recursive: true });
        writeFileSync(path.join(work, 'beside.txt'), lines);
        for (const name of ['a.txt', 'b.txt', 'd/c.txt']) writeFileSync(path.join(work, 'one', name), lines);
        writeFileSync(path.join(work, 'one/d/windows.txt'), lines.replaceAll('\n', '\r\n'));
        commitAll(work);
      },
    },
  }))
    it(`takes what a file was before from the edits, and undoes them, in ${kind}`, async (t) => {
      const { lab, worker, at, replace, read } = await workplace(t, options);
      const edits = [
        edit(at('a.txt'), 'line 3\n', 'line three\n'),
        edit('d/windows.txt', 'line 1\nline 2', 'one\ntwo'),
        edit(at('a.txt'), 'line 4\n', 'line four\n'),
        edit(at('a.txt'), 'line 5\n', 'line five\n'),
      ];
      const set = await lateTurn(lab, worker, {
        edits,
        early() {
          replace('a.txt', 'line 3\n', 'line three\n');
          replace('a.txt', 'line 4\n', 'line four\n');
          replace('d/windows.txt', 'line 1\r\nline 2', 'one\r\ntwo');
        },
        later: () => replace('a.txt', 'line 5\n', 'line five\n'),
      });
      assert.deepEqual(rows(set), ['modified a.txt', 'modified d/windows.txt']);
      assert.deepEqual(
        [set?.added, set?.removed, unkeptOf(set)],
        [
          5,
          5,
          [
            ['a.txt', undefined],
            ['d/windows.txt', undefined],
          ],
        ],
      );
      assert.deepEqual((await worker.undo()).left, []);
      assert.deepEqual([read('a.txt'), read('d/windows.txt')], [lines, lines.replaceAll('\n', '\r\n')]);
    });

  it('says that what was before is unknown where no edit shows it, and leaves such a file', async (t) => {
    const { lab, worker, at, replace, read } = await workplace(t);
    const set = await lateTurn(lab, worker, {
      edits: [{ path: at('b.txt'), oldText: null, newText: 'all of it\n' }, edit(at('d/c.txt'), 'line 2\n', 'line two\n')],
      early() {
        replace('a.txt', 'line 3\n', 'by a command\n');
        writeFileSync(at('b.txt'), 'all of it\n');
        writeFileSync(at('new.txt'), 'new\n');
      },
      later() {
        replace('a.txt', 'line 9\n', 'once more\n');
        replace('d/c.txt', 'line 2\n', 'line two\n');
        rmSync(at('new.txt'));
      },
    });
    assert.deepEqual(rows(set), ['modified a.txt', 'modified b.txt', 'modified d/c.txt', 'deleted new.txt']);
    assert.deepEqual(unkeptOf(set), [
      ['a.txt', 'unseen'],
      ['b.txt', 'unseen'],
      ['d/c.txt', undefined],
      ['new.txt', 'unseen'],
    ]);
    const { undone, left } = await worker.undo();
    assert.deepEqual(
      [undone, left],
      [['d/c.txt'], ['a.txt', 'b.txt', 'new.txt'].map((name) => ({ path: name, why: 'unkept', detail: 'unseen' }))],
    );
    assert.match(read('a.txt'), /by a command/);
    const next = lab.worker({ id: 'c1' });
    await next.changes.load();
    assert.deepEqual(next.changes.sets, worker.changes.sets);
  });

  it('does not list what only the user saved by then', async (t) => {
    const { lab, worker, at } = await workplace(t);
    const set = await lateTurn(lab, worker, {
      early() {
        writeFileSync(at('a.txt'), 'mine\n');
        lab.recorded.noteSaved(at('a.txt'));
      },
      later: () => writeFileSync(at('b.txt'), 'late\n'),
    });
    assert.deepEqual(unkeptOf(set), [['b.txt', undefined]]);
  });
});

describe('an earlier text', () => {
  it('is found for any edits of which some were made', () => {
    const anyText = fc.array(fc.constantFrom('a', 'b', 'c', '\n'), { minLength: 1, maxLength: 30 }).map((all) => all.join(''));
    fc.assert(
      fc.property(anyText, fc.array(fc.tuple(fc.nat(29), fc.nat(5)), { maxLength: 5 }), fc.nat(5), (text, places, made) => {
        const texts = [text];
        // What each edit writes is nowhere else.
        const edits = places.flatMap(([from, length], index): ShownEdit[] => {
          const now = texts.at(-1) ?? '';
          const old = now.slice(from, from + 1 + length);
          if (old === '') return [];
          texts.push(`${now.slice(0, from)}<${index}>${now.slice(from + old.length)}`);
          return [edit('x', old, `<${index}>`)];
        });
        const count = Math.min(made, edits.length);
        assert.equal(earlierText(texts[count] ?? '', edits), count === 0 ? undefined : text);
      }),
    );
  });

  it('is not guessed', () => {
    assert.equal(earlierText('a b b', [edit('x', 'a', 'b')]), undefined);
    assert.equal(earlierText('a', [edit('x', 'b', '')]), undefined);
    assert.equal(earlierText('a', [{ path: 'x', newText: 'a' }]), undefined);
    assert.equal(earlierText('other', [edit('x', 'a', 'b')]), undefined);
  });
});
