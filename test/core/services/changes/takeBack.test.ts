/** Whatever an agent and a user do to the files, taking changes back gives the bytes from before, and loses nothing of the user. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import fc from 'fast-check';
import { hunksOfChange, undoHunk } from '../../../../src/core/base/hunks.js';
import { changesLab, filesIn, onDisk, posixOnly, type SeenFile, type Worker } from './changesLab.js';
import { type Act, anyAct, apply, ignoreFile, mergeTexts, type Files } from './fileActs.js';
import type { ChangedFile } from '../../../../src/core/session/changes.js';
import { shown } from '../../../../src/core/services/changes/differences.js';

/** One thing that happens in a folder. Numbers choose among what there is. */
type Event =
  | { readonly type: 'turn'; readonly acts: readonly Act[] }
  | { readonly type: 'user'; readonly acts: readonly Act[] }
  | { readonly type: 'undo'; readonly newest: number; readonly count: number }
  | { readonly type: 'undoFile'; readonly newest: number; readonly file: number }
  | { readonly type: 'undoHunk'; readonly file: number; readonly hunk: number };

const acts = fc.array(anyAct, { minLength: 1, maxLength: 6 });
const anyEvent: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('turn' as const), acts }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('user' as const), acts: fc.array(anyAct, { minLength: 1, maxLength: 2 }) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('undo' as const), newest: fc.nat(3), count: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('undoFile' as const), newest: fc.nat(3), file: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('undoHunk' as const), file: fc.nat(), hunk: fc.nat() }) },
);

/** What a change set did, as the test saw it. */
interface Change {
  readonly id: string;
  readonly before: Files;
  readonly after: Files;
}

const same = (one: SeenFile | undefined, other: SeenFile | undefined): boolean =>
  one?.mode === other?.mode && one?.content === other?.content;
const changedIn = ({ before, after }: Change): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((name) => !same(before.get(name), after.get(name)));

/** How a file is after the changes are taken back, the newest first. @returns 'left' if it was changed since and can't be merged */
function expected(name: string, now: SeenFile | undefined, changes: readonly Change[]): SeenFile | undefined | 'left' {
  let state = now;
  for (const { before, after } of changes) {
    const [one, other] = [before.get(name), after.get(name)];
    if (same(one, other) || same(state, one)) continue;
    if (same(state, other)) state = one;
    else {
      const merged = state && one && other && mergeTexts(state, other, one);
      if (merged === undefined) return 'left';
      state = merged;
    }
  }
  return state;
}

const marksIn = (files: Iterable<SeenFile | undefined>): ReadonlySet<string> =>
  new Set([...files].flatMap((file) => file?.content.match(/user \d+\n/g) ?? []));

async function takeBack(worker: Worker, folder: string, changes: readonly Change[], path?: string): Promise<Change | undefined> {
  const now = await filesIn(folder);
  const ids = changes.map(({ id }) => id);
  const sets = worker.changes.sets.filter(({ id }) => ids.includes(id));
  const rows = sets.flatMap(({ files }) => files);
  // What is taken back already is not taken back again.
  const isOpen = (row: ChangedFile): boolean => (path === undefined || row.path === path) && row.isUndone !== true;
  const chosen = rows.filter(isOpen);
  const open = new Set(
    sets.flatMap(({ id, files }) => files.filter(isOpen).flatMap((row) => [row.path, row.from ?? row.path].map((one) => `${id} ${one}`))),
  );
  const changesOf = (name: string): readonly Change[] =>
    changes.filter((change) => open.has(`${change.id} ${shown(name)}`) && changedIn(change).includes(name));
  const { id, undone, left } = await worker.undo(ids, path === undefined ? undefined : [path]);
  const then = await filesIn(folder);
  const all = [...new Set([...now.keys(), ...then.keys(), ...changes.flatMap(changedIn)])];
  const touched = all.filter((name) => changesOf(name).length > 0);
  const wanted = new Map(touched.map((name) => [name, expected(name, now.get(name), changesOf(name))]));
  assert.deepEqual([...undone, ...left.map((file) => file.path)].sort(), [...new Set(chosen.map((row) => row.path))].sort());
  for (const name of all) if (!touched.includes(name)) assert.deepEqual(then.get(name), now.get(name), `${name} is not part of it`);
  // A renamed file is taken back together with its earlier name. What is in the place of a folder keeps its files from coming back.
  const plain = new Map([...now, ...[...wanted].filter(([, file]) => file !== 'left')]);
  const there = [...plain].flatMap(([name, file]) => (file === undefined ? [] : [name]));
  const isTangled = there.some((name) => there.some((other) => other.startsWith(`${name}/`)));
  const isAsLeft = touched.every((name) => same(now.get(name), changesOf(name)[0]?.after.get(name)));
  const isPlain = rows.every((row) => row.from === undefined);
  const isStrict = !isTangled && (isPlain || (isAsLeft && ![...wanted.values()].includes('left')));
  for (const [name, file] of wanted) {
    const isLeft = left.some((one) => one.path === shown(name));
    if (isStrict) assert.equal(isLeft, file === 'left', `${name} is left`);
    if (isStrict && file !== 'left') assert.deepEqual(then.get(name), file, name);
    if (isLeft) assert.deepEqual(then.get(name), now.get(name), `${name} stays`);
    if (file === 'left')
      for (const mark of marksIn([now.get(name)])) assert.ok(marksIn(then.values()).has(mark), `${mark} of ${name} is lost`);
  }
  return id === undefined ? undefined : { id, before: now, after: then };
}

/** Takes a part of the newest change back, as an editor does: it writes the text. */
async function takeHunkBack(folder: string, change: Change, chosen: { readonly file: number; readonly hunk: number }): Promise<void> {
  const versions = [change.before, change.after, await filesIn(folder)];
  const isPlain = (file: SeenFile | undefined): boolean => file !== undefined && file.mode !== 'link' && /^[ -~\n]*$/.test(file.content);
  const texts = changedIn(change).filter((name) => versions.every((files) => isPlain(files.get(name))));
  const name = texts[chosen.file % texts.length];
  if (name === undefined) return;
  const [earlier = '', after = '', now = ''] = versions.map((files) => files.get(name)?.content);
  const hunks = hunksOfChange({ earlier, after, now }).filter(({ isMixed }) => !isMixed);
  const hunk = hunks[chosen.hunk % hunks.length];
  if (hunk === undefined) return;
  const then = undoHunk(now, hunk, '\n');
  await writeFile(onDisk(folder, name), Buffer.from(then, 'latin1'));
  if (now === after && hunks.length === 1) assert.equal(then, earlier, `${name} has its only change no more`);
  const lost = [...marksIn([versions[2]?.get(name)])].filter((mark) => !then.includes(mark));
  assert.deepEqual(
    lost.filter((mark) => !after.includes(mark)),
    [],
    'what the user wrote since is there',
  );
}

test('any sequence of turns, edits and undos gives the bytes from before, and keeps what the user wrote', {
  skip: posixOnly,
}, async () => {
  await fc.assert(
    fc.asyncProperty(acts, fc.array(anyEvent, { minLength: 2, maxLength: 9 }), async (first, events) => {
      const ends: (() => unknown)[] = [];
      try {
        const lab = await changesLab({ after: (end) => void ends.push(end as () => unknown) });
        const { folder } = lab;
        await apply(folder, [ignoreFile, ...first], 'agent');
        const worker = lab.worker();
        const changes: Change[] = [];
        for (const event of events) {
          const before = await filesIn(folder);
          const latest = changes.toReversed();
          if (event.type === 'user') await apply(folder, event.acts, 'user');
          else if (event.type === 'turn') {
            const set = await worker.turn(() => apply(folder, event.acts, 'agent'));
            assert.equal(worker.changes.failure, undefined);
            const after = await filesIn(folder);
            const change = { id: set?.id ?? '', before, after };
            const listed = new Set(set?.files.flatMap(({ path, from }) => [path, from ?? path]));
            const recorded = changedIn(change).filter((name) => !name.startsWith('ignored/'));
            assert.deepEqual([...listed].sort(), [...new Set(recorded.map(shown))].sort(), 'the turn lists what it changed');
            if (set !== undefined) changes.push(change);
          } else if (event.type === 'undo') {
            const chosen = latest.slice(event.newest, event.newest + event.count);
            if (chosen.length === 0) continue;
            const undo = await takeBack(worker, folder, chosen);
            if (undo === undefined) continue;
            // At once, it can be done again.
            await takeBack(worker, folder, [undo]);
            assert.deepEqual(await filesIn(folder), before, 'redo');
            const again = await takeBack(worker, folder, chosen);
            assert.deepEqual(await filesIn(folder), undo.after, 'undo after redo');
            if (again !== undefined) changes.push(again);
          } else if (event.type === 'undoHunk') {
            const [change] = latest;
            if (change !== undefined) await takeHunkBack(folder, change, event);
          } else {
            const change = latest[event.newest];
            const files = worker.changes.sets.find((set) => set.id === change?.id)?.files ?? [];
            const file = files[event.file % files.length];
            if (change === undefined || file === undefined) continue;
            const undo = await takeBack(worker, folder, [change], file.path);
            if (undo !== undefined) changes.push(undo);
          }
        }
        // What was recorded is the same for the next engine.
        const next = lab.worker({ id: 'c1' });
        await next.changes.load();
        assert.deepEqual(next.changes.sets, worker.changes.sets);
      } finally {
        for (const end of ends) await end();
      }
    }),
    { numRuns: 20 },
  );
});
