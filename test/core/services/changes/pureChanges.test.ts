/** What is decided about changes without touching a file. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type FileDifference, type FileVersion, parseDifferences } from '../../../../src/core/services/changes/differences.js';
import { netDifferences } from '../../../../src/core/services/changes/netDifferences.js';
import { blobOf, type ChangeRecord, type UndoneChanges, withMarks } from '../../../../src/core/services/changes/records.js';
import { type FileState, planUndo, type RecordedDifference, type UndoSources } from '../../../../src/core/services/changes/undo.js';
import type { ChangedFile } from '../../../../src/core/session/changes.js';
import { assertLinear, assertLinearCost } from '../../../linearTime.js';
import { processorMs } from '../../../processorTime.js';

const row = (path: string): ChangedFile => ({ path, status: 'modified', added: 1, removed: 0, by: 'tool' });
const record = (id: string, paths: readonly string[], undoes: readonly UndoneChanges[] = []): ChangeRecord => ({
  id,
  kind: undoes.length === 0 ? 'turn' : 'undo',
  at: 0,
  files: paths.map(row),
  fileCount: paths.length,
  added: 0,
  removed: 0,
  problems: [],
  undoes,
});
const undoneIn = (records: readonly ChangeRecord[]): readonly string[] =>
  withMarks(records, []).flatMap((files, index) =>
    files.filter(({ isUndone }) => isUndone === true).map(({ path }) => `${records[index]?.id} ${path}`),
  );

describe('marks', () => {
  it('say what an undo took back, until that is taken back itself', () => {
    const turn = record('t', ['a', 'b']);
    const undo = record('u', ['a'], [{ id: 't', paths: ['a'] }]);
    const redo = record('r', ['a'], [{ id: 'u', paths: ['a'] }]);
    const again = record('v', ['a'], [{ id: 'r', paths: ['a'] }]);
    assert.deepEqual(undoneIn([turn]), []);
    assert.deepEqual(undoneIn([turn, undo]), ['t a']);
    assert.deepEqual(undoneIn([turn, undo, redo]), ['u a']);
    assert.deepEqual(undoneIn([turn, undo, redo, again]), ['t a', 'r a']);
  });

  it('come and go also for a name that a file had only between two turns', () => {
    const [added, renamed] = [record('t1', ['a']), record('t2', ['b'])];
    const undo = record(
      'u',
      ['b', 'c'],
      [
        { id: 't2', paths: ['b', 'a', 'c'] },
        { id: 't1', paths: ['a'] },
      ],
    );
    const parts = [record('r1', ['c'], [{ id: 'u', paths: ['c'] }]), record('r2', ['b'], [{ id: 'u', paths: ['b'] }])];
    const redo = record('r', ['b', 'c'], [{ id: 'u', paths: ['b', 'c'] }]);
    const again = record('v', ['b', 'c'], [{ id: 'r', paths: ['b', 'c'] }]);
    assert.deepEqual(undoneIn([added, renamed, undo]), ['t1 a', 't2 b']);
    assert.deepEqual(undoneIn([added, renamed, undo, ...parts]), ['u b', 'u c']);
    assert.deepEqual(undoneIn([added, renamed, undo, redo]), ['u b', 'u c']);
    assert.deepEqual(undoneIn([added, renamed, undo, redo, again]), ['t1 a', 't2 b', 'r b', 'r c']);
  });

  it('do not come back for a file that is still undone, if the record of the undo is too long to have all of them', () => {
    const turn = record('t', ['a', 'b']);
    const undo = { ...record('u', ['a'], [{ id: 't', paths: ['a', 'b'] }]), fileCount: 2 };
    const part = record('r', ['a'], [{ id: 'u', paths: ['a'] }]);
    assert.deepEqual(undoneIn([turn, undo, part]), ['t b', 'u a']);
  });

  it('are those of the changes that are in effect, whatever is undone and done again', () => {
    const paths = ['a', 'b'];
    const step = fc.record({
      isTurn: fc.boolean(),
      paths: fc.subarray(paths, { minLength: 1 }),
      chosen: fc.array(fc.nat(), { maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 14 }), (steps) => {
        const records: ChangeRecord[] = [];
        // For each path, the changes that are not in effect, and how each undo changed that.
        const out = new Set<string>();
        const effects = new Map<string, { readonly before: ReadonlySet<string>; readonly after: ReadonlySet<string> }>();
        for (const { isTurn, paths: its, chosen } of steps) {
          const id = `r${records.length}`;
          const targets = [...new Set(chosen.map((one) => records[one % records.length]?.id))].filter((one) => one !== undefined);
          // Only what is in effect is undone, the newest first.
          const open = targets.filter((one) => its.every((path) => !out.has(`${one} ${path}`)));
          const newest = records.toReversed().filter((one) => open.includes(one.id));
          if (isTurn || newest.length === 0) {
            records.push(record(id, its));
            continue;
          }
          for (const path of its) {
            const before = new Set(out);
            for (const { id: target } of newest) {
              const effect = effects.get(`${target} ${path}`);
              for (const one of effect?.after ?? []) if (effect?.before.has(one) === false) out.delete(one);
              for (const one of effect?.before ?? []) if (effect?.after.has(one) === false) out.add(one);
              out.add(`${target} ${path}`);
            }
            effects.set(`${id} ${path}`, { before, after: new Set(out) });
          }
          records.push(
            record(
              id,
              its,
              newest.map((one) => ({ id: one.id, paths: its })),
            ),
          );
        }
        const seen = records.flatMap(({ id, files }) => files.map(({ path }) => `${id} ${path}`));
        assert.deepEqual(
          undoneIn(records),
          seen.filter((one) => out.has(one)),
        );
      }),
      { numRuns: 3_000 },
    );
  });

  it('are found in time also if everything is undone again and again', () => {
    const records = [record('t', ['a'])];
    for (let count = 0; count < 200; count++)
      records.push(
        record(
          `u${count}`,
          ['a'],
          records.toReversed().map(({ id }) => ({ id, paths: ['a'] })),
        ),
      );
    assert.ok(undoneIn(records).includes('t a'));
  });

  it('say what was reviewed, of all files or of some', () => {
    const records = [record('t', ['a', 'b']), record('s', ['a'])];
    const reviewed = (...marks: Parameters<typeof withMarks>[1]): readonly string[] =>
      withMarks(records, marks).flatMap((files, at) =>
        files.filter((file) => file.isReviewed).map(({ path }) => `${records[at]?.id} ${path}`),
      );
    assert.deepEqual(reviewed({ id: 't', paths: ['b'] }), ['t b']);
    assert.deepEqual(reviewed({ id: 't', paths: ['b'] }, { id: 't' }, { id: 't', paths: ['a'] }), ['t a', 't b']);
    assert.deepEqual(reviewed({ id: 's' }, { id: 'unknown' }), ['s a']);
  });

  it('cost the same for each file that is reviewed, one after the other, however many there are', async () => {
    await assertLinear((count) => {
      const paths = Array.from({ length: count }, (_, index) => `f${index}`);
      const records = paths.map((path) => record(path, [path]));
      const marks = paths.flatMap((path) => [
        { id: path, paths: [path] },
        { id: path, paths: [path], hunk: 'h' },
        { id: 'f0', paths: [path] },
      ]);
      return () => withMarks(records, marks);
    });
  });
});

const anyPath = fc
  .uint8Array({ minLength: 1, maxLength: 12 })
  .map((bytes) => Buffer.from(bytes.map((byte) => byte || 1)).toString('latin1'));
const anyBlob = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const anyMode = fc.constantFrom('100644', '100755', '120000');
const anyVersion = fc.record({ mode: anyMode, blob: anyBlob }, { noNullPrototype: true });
const anyDifference: fc.Arbitrary<FileDifference> = fc
  .record({
    path: anyPath,
    earlier: anyPath,
    isRenamed: fc.boolean(),
    before: fc.option(anyVersion, { nil: undefined }),
    after: fc.option(anyVersion, { nil: undefined }),
    added: fc.nat(),
    removed: fc.nat(),
    isBinary: fc.boolean(),
  })
  .filter(({ before, after }) => before !== undefined || after !== undefined)
  .map(({ path, earlier, isRenamed, before, after, added, removed, isBinary }) => ({
    path,
    from: isRenamed && before !== undefined && after !== undefined ? earlier : path,
    before,
    after,
    added: isBinary ? 0 : added,
    removed: isBinary ? 0 : removed,
    isBinary,
  }));

/** As git-diff-tree(1) describes `-z --raw --numstat`. */
function printed(files: readonly FileDifference[]): Buffer {
  const side = (version: FileVersion | undefined): readonly [string, string] => [
    version?.mode ?? '000000',
    version?.blob ?? '0'.repeat(40),
  ];
  const raw = files.map(({ path, from, before, after }) => {
    const [[modeBefore, blobBefore], [modeAfter, blobAfter]] = [side(before), side(after)];
    const status = before === undefined ? 'A' : after === undefined ? 'D' : path === from ? 'M' : 'R087';
    return `:${modeBefore} ${modeAfter} ${blobBefore} ${blobAfter} ${status}\0${path === from ? '' : `${from}\0`}${path}\0`;
  });
  const counts = files.map(({ path, from, added, removed, isBinary }) => {
    const numbers = isBinary ? '-\t-\t' : `${added}\t${removed}\t`;
    return path === from ? `${numbers}${path}\0` : `${numbers}\0${from}\0${path}\0`;
  });
  return Buffer.from([...raw, ...counts].join(''), 'latin1');
}

describe('what git prints', () => {
  it('is read as it was meant, whatever the files are called', async () => {
    const files = fc.uniqueArray(anyDifference, { selector: ({ path }) => path, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(files, async (all) => assert.deepEqual(await parseDifferences(printed(all)), all)),
      { numRuns: 1_000 },
    );
  });
});

type Folder = ReadonlyMap<string, FileState>;
const stateWith = (text: string): FileState => ({ mode: '100644', blob: blobOf(Buffer.from(text)) });

/** What one change set did: a file that is gone was renamed if another one has its content. */
function differencesOf(set: string, before: Folder, after: Folder): readonly RecordedDifference[] {
  const gone = new Map([...before].filter(([path]) => !after.has(path)));
  const counts = { set, added: 0, removed: 0, isBinary: false };
  const found: RecordedDifference[] = [];
  for (const [path, to] of after) {
    const one = before.get(path);
    const from = one === undefined ? [...gone].find(([, state]) => state.blob === to.blob)?.[0] : undefined;
    if (from !== undefined) {
      found.push({ ...counts, path, from, before: gone.get(from), after: to });
      gone.delete(from);
    } else if (one?.blob !== to.blob) found.push({ ...counts, path, from: path, before: one, after: to });
  }
  for (const [path, one] of gone) found.push({ ...counts, path, from: path, before: one, after: undefined });
  return found;
}

function sourcesOf(files: Folder): UndoSources {
  return {
    current: (path) => Promise.resolve(files.get(path)),
    saved: () => undefined,
    content: () => Promise.resolve(Buffer.from('text')),
    stateOf: (mode, bytes) => ({ mode, blob: blobOf(bytes), bytes }),
    merge: () => Promise.resolve(undefined),
  };
}

const names = ['a', 'b', 'c', 'd', 'e'];
const anyFolder = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...names), fc.constantFrom('1', '2', '3', '4').map(stateWith)), { selector: ([name]) => name })
  .map((entries): Folder => new Map(entries));

describe('what several change sets did together', () => {
  it('is one change of each file, which leads back to the state before all of them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyFolder, { minLength: 2, maxLength: 6 }), async (folders) => {
        const sets = folders.slice(1).map((after, index) => differencesOf(`s${index}`, folders[index] ?? new Map(), after));
        const layers = await netDifferences(sets);
        const then = new Map([...(folders.at(-1) ?? [])].map(([path, { blob }]) => [path, blob]));
        for (const layer of layers.toReversed()) {
          for (const { path, after } of layer) {
            if (after === undefined) continue;
            assert.equal(then.get(path), after.blob);
            then.delete(path);
          }
          for (const { from, before } of layer) if (before?.blob !== undefined) then.set(from, before.blob);
        }
        assert.deepEqual([...then].sort(), [...(folders[0] ?? [])].map(([path, { blob }]) => [path, blob]).sort());
        assert.ok(layers.length <= 1);
      }),
      { numRuns: 2_000 },
    );
  });

  it('stays apart where somebody else changed the file in between', async () => {
    const set = (id: string, before: string, after: string) =>
      differencesOf(id, new Map([['a', stateWith(before)]]), new Map([['a', stateWith(after)]]));
    const sets = [set('s1', '1', '2'), set('s2', '3', '4')];
    assert.deepEqual(await netDifferences(sets), sets);
    assert.deepEqual(await netDifferences([set('s1', '1', '2'), set('s2', '2', '1')]), []);
  });

  it('costs the same for each turn, however many there are', async () => {
    const [before, after] = [stateWith('1'), stateWith('2')];
    const setsOf = (count: number): readonly (readonly FileDifference[])[] =>
      Array.from({ length: count }, (_, index) =>
        differencesOf(`s${index}`, new Map([[`f${index}`, before]]), new Map([[`f${index}`, after]])),
      );
    await assertLinearCost(async (count, times) => {
      const works = Array.from({ length: times }, () => setsOf(count));
      const began = processorMs();
      for (const sets of works) await netDifferences(sets);
      return processorMs() - began;
    }, 2_000);
  });
});

describe('a plan to take changes back', () => {
  it('leads to the state before all of them, also over renames', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyFolder, { minLength: 2, maxLength: 6 }), async (folders) => {
        const sets = folders.slice(1).map((after, index) => differencesOf(`s${index}`, folders[index] ?? new Map(), after));
        const now = folders.at(-1) ?? new Map<string, FileState>();
        const plan = await planUndo(sets.toReversed().flat(), sourcesOf(now));
        const then = new Map(now);
        for (const [path, { now: found, to }] of plan.units.flatMap(({ files }) => [...files])) {
          assert.deepEqual(found, now.get(path));
          if (to === undefined) then.delete(path);
          else then.set(path, to);
        }
        const blobs = (folder: Folder): unknown => [...folder].map(([path, { blob }]) => [path, blob]).sort();
        assert.deepEqual(plan.left, []);
        assert.deepEqual(blobs(then), blobs(folders[0] ?? new Map()));
      }),
      { numRuns: 1_000 },
    );
  });

  it('leaves a file that was changed since with all of its names, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyFolder, { minLength: 2, maxLength: 5 }), fc.constantFrom(...names), async (folders, name) => {
        const sets = folders.slice(1).map((after, index) => differencesOf(`s${index}`, folders[index] ?? new Map(), after));
        const all = sets.toReversed().flat();
        // A link is never merged.
        const now = new Map(folders.at(-1)).set(name, { ...stateWith('user'), mode: '120000' });
        const plan = await planUndo(all, sourcesOf(now));
        const together = new Set([name]);
        for (const _ of all) for (const { path, from } of all) if (together.has(path) || together.has(from)) together.add(path).add(from);
        const left = new Set(all.map(({ path }) => path).filter((path) => together.has(path)));
        assert.deepEqual(new Set(plan.left.map(({ path }) => path)), left);
        assert.ok(plan.left.every(({ why }) => why === 'changed'));
        for (const { files } of plan.units) for (const path of files.keys()) assert.ok(!together.has(path), path);
        assert.equal(plan.units.flatMap(({ differences }) => differences).length, all.filter(({ path }) => !together.has(path)).length);
      }),
      { numRuns: 1_000 },
    );
  });

  it('leaves what the user may have changed, and what is not kept', async () => {
    const differences = differencesOf('s', new Map([['a', stateWith('1')]]), new Map([['a', stateWith('2')]]));
    const sources = sourcesOf(new Map([['a', stateWith('2')]]));
    assert.deepEqual((await planUndo(differences, sources, (path) => path !== 'a')).left, [{ path: 'a', why: 'also_user' }]);
    const unkept = differences.map((file) => ({ ...file, before: { mode: '100644', blob: undefined } }));
    assert.deepEqual((await planUndo(unkept, sources)).left, [{ path: 'a', why: 'unkept', detail: 'unseen' }]);
  });
});
