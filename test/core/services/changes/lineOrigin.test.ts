/** Which turn wrote a line, after turns, edits of the user, and undos in any order. */
import assert from 'node:assert/strict';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { findLineOrigin, lineHistory, type LineHistory } from '../../../../src/core/services/changes/lineOrigin.js';
import type { FileChange } from '../../../../src/core/services/changes/records.js';
import { changesLab, posixOnly } from './changesLab.js';

/** A line with the turn that wrote it; `user`: no turn did. */
interface ModelLine {
  readonly text: string;
  readonly by: string;
}

const textOf = (lines: readonly ModelLine[]): string => lines.map(({ text }) => `${text}\n`).join('');

type Act =
  | { readonly type: 'turn' | 'user'; readonly at: number; readonly removes: number; readonly adds: number }
  /** Of the last turns that are not undone. */
  | { readonly type: 'undo'; readonly count: number };

const act = fc.oneof(
  fc.record({
    type: fc.constantFrom('turn' as const, 'user' as const),
    at: fc.nat(20),
    removes: fc.nat(4),
    adds: fc.nat(4),
  }),
  fc.record({ type: fc.constant('undo' as const), count: fc.integer({ min: 1, max: 3 }) }),
);

/** Plays the acts, and knows of each line who wrote it. Every version is its own text. */
function play(acts: readonly Act[]): { readonly lines: readonly ModelLine[]; readonly history: LineHistory } {
  let next = 0;
  const written = (count: number, by: string): readonly ModelLine[] =>
    Array.from({ length: count }, () => ({ text: `line ${next++}`, by }));
  let lines = written(6, 'user');
  const changes: FileChange[] = [];
  const undone = new Map<string, readonly string[]>();
  /** What can be undone without a merge: the turns since the user last wrote, each with the lines before it. */
  let undoable: { readonly id: string; readonly before: readonly ModelLine[] }[] = [];
  const save = (id: string, before: readonly ModelLine[]): void => {
    const [one, other] = [textOf(before), textOf(lines)];
    if (one === other) return;
    changes.unshift({ conversationId: 'c', id, commit: id, at: changes.length + 1, before: one, after: other });
  };
  for (const [index, one] of acts.entries()) {
    const [id, before] = [`set${index}`, lines];
    if (one.type === 'undo') {
      const taken = undoable.splice(-one.count);
      const [oldest] = taken;
      if (oldest === undefined) continue;
      lines = oldest.before;
      undone.set(
        id,
        taken.map((turn) => turn.id),
      );
      save(id, before);
      // An undo can be undone, too.
      undoable.push({ id, before });
      continue;
    }
    const by = one.type === 'turn' ? id : 'user';
    lines = lines.toSpliced(Math.min(one.at, lines.length), one.removes, ...written(one.adds, by));
    if (one.type === 'user') undoable = [];
    else {
      save(id, before);
      if (lines !== before) undoable.push({ id, before });
    }
  }
  const history: LineHistory = {
    changesOf: () => Promise.resolve(changes),
    text: (version) => Promise.resolve(version),
    undoneBy: ({ id }) => Promise.resolve(undone.get(id)),
    renamedFrom: () => Promise.resolve(undefined),
  };
  return { lines, history };
}

describe('the origin of a line', () => {
  it('is what a model of any history says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 14 }), async (acts) => {
        const { lines, history } = play(acts);
        const text = textOf(lines);
        for (const [index, { by }] of lines.entries()) {
          const origin = await findLineOrigin(history, { path: 'a', line: index + 1, text });
          assert.equal(origin?.turnId ?? 'user', by, `line ${index + 1} of ${JSON.stringify(text)}`);
        }
        assert.equal(await findLineOrigin(history, { path: 'a', line: lines.length + 1, text }), undefined);
      }),
      { numRuns: 400 },
    );
  });

  it('is found in what is recorded, over conversations, a rename, an undo and unsaved text', { skip: posixOnly }, async (t) => {
    const names = { old: 'naïve name.txt', now: 'src: new.txt' };
    const lab = await changesLab(t, { prepare: (work) => writeFileSync(path.join(work, names.old), 'one\ntwo\nthree\nfour\n') });
    const at = (name: string): string => path.join(lab.folder, name);
    const replace = (name: string, from: string, to: string): void =>
      writeFileSync(at(name), readFileSync(at(name), 'utf8').replace(from, to));
    const [first, second] = [lab.worker({ id: 'first' }), lab.worker({ id: 'second' })];
    const one = await first.turn(() => replace(names.old, 'one', 'ONE'));
    writeFileSync(at('other.txt'), 'ONE\n');
    await second.turn(() => renameSync(at(names.old), at(names.now)));
    replace(names.now, 'two', 'the user');
    const three = await second.turn(() => replace(names.now, 'three', 'THREE'));
    await first.turn(() => replace(names.now, 'THREE', 'lost'));
    await first.undo();
    const text = `unsaved\n${readFileSync(at(names.now), 'utf8')}`;
    const origins = await lab.recorded.read(({ records }) =>
      Promise.all(
        text.split('\n').map(async (words, index) => {
          const origin = await findLineOrigin(lineHistory(records), { path: names.now, line: index + 1, text });
          return [words, origin && [origin.conversationId, origin.turnId]];
        }),
      ),
    );
    assert.deepEqual(origins, [
      ['unsaved', undefined],
      ['ONE', ['first', one?.id]],
      ['the user', undefined],
      ['THREE', ['second', three?.id]],
      ['four', undefined],
      ['', undefined],
    ]);
    const nowhere = await lab.recorded.read(({ records }) =>
      findLineOrigin(lineHistory(records), { path: 'other.txt', line: 1, text: 'ONE\n' }),
    );
    assert.equal(nowhere, undefined);
  });
});
