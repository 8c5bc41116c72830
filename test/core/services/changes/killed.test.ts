/** An engine that is killed leaves no file half done, and the next one knows what was changed and what was taken back. */
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { FolderChanges } from '../../../../src/core/services/changes/folderChanges.js';
import { ConversationChanges } from '../../../../src/core/services/changes/conversationChanges.js';
import { typescriptProgram } from '../../../typescriptProgram.js';
import { type ChangesLab, changesLab, filesIn, noEditor, posixOnly, rows } from './changesLab.js';
import type { KilledProgram } from './killedProgram.js';

const [script = '', ...execArgv] = typescriptProgram(path.join(import.meta.dirname, 'killedProgram.ts')).toReversed();

/** Starts the program. Resolves when it tells this. */
async function started(
  { stateFolder, folder }: ChangesLab,
  o: Omit<KilledProgram, 'stateFolder' | 'folder'>,
  told: string,
): Promise<ChildProcess> {
  const argument: KilledProgram = { stateFolder, folder, ...o };
  const program = fork(script, [JSON.stringify(argument)], { execArgv: execArgv.toReversed() });
  for (;;) if ((await once(program, 'message'))[0] === told) return program;
}

async function kill(program: ChildProcess): Promise<void> {
  const exited = once(program, 'exit');
  program.kill('SIGKILL');
  await exited;
}

/** Resolves when that much has happened in the folder. */
function changesIn(folder: string, count: number): Promise<void> {
  return new Promise((resolve) => {
    let seen = 0;
    const watching = watch(folder, () => {
      if (++seen < count) return;
      watching.close();
      resolve();
    });
  });
}

/** The conversation in the next engine. */
async function next(
  { stateFolder, folder }: ChangesLab,
  id = 'c1',
  recorded = new FolderChanges(stateFolder, folder),
): Promise<ConversationChanges> {
  const changes = new ConversationChanges({ id, cwd: folder, folder: recorded, editor: noEditor, waitMs: 60_000 });
  await changes.load();
  return changes;
}

describe('an engine that is killed', { skip: posixOnly }, () => {
  it('during an undo leaves each file as it was or as it is to be, with its other name, and says which', async (t) => {
    const count = 200;
    const text = (index: number): string => `${index}\n`.repeat(20);
    const lab = await changesLab(t, {
      prepare(work) {
        for (const folder of ['d', 'e']) mkdirSync(path.join(work, folder));
        for (let index = 0; index < count; index++) writeFileSync(path.join(work, `d/${index}`), text(index));
      },
    });
    const before = await filesIn(lab.folder);
    const change = (index: number): void => {
      const file = path.join(lab.folder, `d/${index}`);
      if (index % 4 === 0) renameSync(file, path.join(lab.folder, `e/${index}`));
      else if (index % 4 === 1) rmSync(file);
      else writeFileSync(index % 4 === 2 ? file : `${file}.new`, 'changed');
    };
    await lab.worker().turn(() => Array.from({ length: count }, (_, index) => change(index)).forEach(() => {}));
    const after = await filesIn(lab.folder);
    const counts: number[] = [];
    for (let round = 0; round < 3; round++) {
      const program = await started(lab, { act: 'undo', conversations: ['c1'] }, 'begins');
      await changesIn(path.join(lab.folder, 'd'), Math.ceil(Math.random() * count));
      await kill(program);
      const changes = await next(lab);
      assert.equal(changes.failure, undefined);
      const files = await filesIn(lab.folder);
      const turn = changes.sets.find(({ kind }) => kind === 'turn');
      const list = await changes.files(turn?.id ?? '');
      assert.equal(list.length, count);
      for (const { path: name, from = name, isUndone } of list)
        for (const one of [name, from])
          assert.deepEqual(files.get(one), (isUndone === true ? before : after).get(one), `${one} ${isUndone}`);
      assert.deepEqual(
        [...files.keys()].filter((name) => !before.has(name) && !after.has(name)),
        [],
        'nothing is left over',
      );
      counts.push(list.filter(({ isUndone }) => isUndone).length);
      // The rest is taken back, and then all is done again.
      assert.deepEqual((await changes.undo({ ids: [turn?.id ?? ''] })).left, []);
      assert.deepEqual(await filesIn(lab.folder), before);
      const undos = changes.sets.filter(
        ({ undoneSets, files: its }) => undoneSets?.includes(turn?.id ?? '') && its.some(({ isUndone }) => !isUndone),
      );
      assert.deepEqual((await changes.undo({ ids: undos.map(({ id }) => id) })).left, []);
      assert.deepEqual(await filesIn(lab.folder), after);
      assert.deepEqual(readdirSync(path.join(await lab.repository(), 'unfinished')), []);
    }
    assert.ok(
      counts.some((one) => one > 0 && one < count),
      `in the middle of an undo: ${counts.join(', ')}`,
    );
  });

  async function killedTurns(
    t: Parameters<typeof changesLab>[0],
  ): Promise<{ lab: ChangesLab; write: (name: string, text: string) => void }> {
    const lab = await changesLab(t, {
      prepare: (work) => ['a', 'b', 'c'].forEach((name) => writeFileSync(path.join(work, name), 'before')),
    });
    const write = (name: string, text: string): void => writeFileSync(path.join(lab.folder, name), text);
    await kill(await started(lab, { act: 'turn', conversations: ['c1', 'c2'], writes: ['a', 'b', 'new'] }, 'done'));
    return { lab, write };
  }

  it('during turns leaves what changed since, and what nobody had seen is only taken back by its name', async (t) => {
    const { lab, write } = await killedTurns(t);
    write('c', 'user');
    const changes = await next(lab);
    assert.equal(changes.failure, undefined);
    const [set, ...others] = changes.sets;
    assert.deepEqual([others, set?.id, set?.kind, set?.problems], [[], 'turn-of-c1', 'turn', ['interrupted', 'shared']]);
    assert.deepEqual(
      set?.files.map(({ path: name, by, alsoUser }) => [name, by, alsoUser === true]),
      [
        ['a', 'tool', false],
        ['b', 'other', true],
        ['c', 'other', true],
        ['new', 'other', true],
      ],
    );
    const { undone, left } = await changes.undo({ ids: [set?.id ?? ''] });
    assert.deepEqual(
      [undone, left.map(({ path: name, why }) => `${name} ${why}`)],
      [['a'], ['b also_user', 'c also_user', 'new also_user']],
    );
    assert.deepEqual((await changes.undo({ ids: [set?.id ?? ''], paths: ['b'] })).undone, ['b']);
    const files = [...(await filesIn(lab.folder))].map(([name, { content }]) => `${name} ${content}`);
    assert.deepEqual(files, ['a before', 'b before', 'c user', 'new new']);
    assert.deepEqual((await next(lab)).sets, changes.sets, 'once');
  });

  it('during a turn has nothing to do with what begins later, also if its conversation is restored after that', async (t) => {
    const { lab, write } = await killedTurns(t);
    const recorded = new FolderChanges(lab.stateFolder, lab.folder);
    const other = await next(lab, 'c3', recorded);
    await other.begin('later');
    write('c', 'later');
    await other.end('later', new Set());
    assert.deepEqual(other.sets.map(rows), [['modified c']]);
    const changes = await next(lab, 'c2', recorded);
    assert.deepEqual(changes.sets.map(rows), [['modified a', 'modified b', 'added new']]);
    await recorded.settled();
  });

  it('during a turn leaves nothing to a conversation that is removed, or long after', async (t) => {
    const { lab } = await killedTurns(t);
    await new FolderChanges(lab.stateFolder, lab.folder).remove('c2');
    assert.deepEqual((await next(lab, 'c2')).sets, []);
    await kill(await started(lab, { act: 'turn', conversations: ['c4'], writes: ['d'] }, 'done'));
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 8 * 24 * 3_600_000 });
    assert.deepEqual((await next(lab, 'c4')).sets, []);
    assert.deepEqual(readdirSync(path.join(await lab.repository(), 'unfinished')), []);
  });

  it('during a turn that has changed nothing leaves nothing', async (t) => {
    const lab = await changesLab(t);
    await kill(await started(lab, { act: 'turn', conversations: ['c1'] }, 'done'));
    const changes = await next(lab);
    assert.deepEqual([changes.sets, changes.failure], [[], undefined]);
    await changes.begin('next');
    writeFileSync(path.join(lab.folder, 'x'), 'x');
    await changes.end('next', new Set());
    assert.deepEqual(
      changes.sets.map(({ id, problems }) => [id, problems]),
      [['next', []]],
    );
  });
});
