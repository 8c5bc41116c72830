/** Takes changes back, so that an engine that is killed meanwhile leaves no file half done, and the next one knows what was done. */
import { join } from 'node:path';
import { sliced } from '../../node/sliced.js';
import { removeLeftBeside } from '../../node/workFiles.js';
import type { ChangedFile, LeftFile } from '../../session/changes.js';
import { type BytePath, type FileDifference, shown } from './differences.js';
import type { ChangeRecord } from './records.js';
import { rowOf, setOf } from './rows.js';
import { isSame, type PlannedFile, type RecordedDifference, type UndoUnit } from './undo.js';
import type { OpenedFolder, UnfinishedUndo } from './unfinished.js';
import { differenceOf, type EditorTexts, openWorkingFiles, type WorkingFiles } from './workingFiles.js';

export interface Undone {
  /** What was changed, each file with how it was and how it is. */
  readonly done: readonly FileDifference[];
  /** What was taken back, also where nothing had to be changed. */
  readonly undone: readonly RecordedDifference[];
  readonly left: readonly LeftFile[];
  /** Absent if nothing was taken back. */
  readonly record?: ChangeRecord;
}

/** @param at of the record @throws HostError `changes_unknown` */
export async function performUndo(folder: OpenedFolder, working: WorkingFiles, undo: UnfinishedUndo, at: number): Promise<Undone> {
  const kept = await working.keep(undo.units);
  await folder.unfinished.save({ ...undo, units: kept.units });
  const { done, units, left } = await working.apply(kept.units);
  const undone = units.flatMap(({ differences }) => differences);
  const record = done.length === 0 && undone.length === 0 ? undefined : await save(folder, undo, { done, undone, at });
  await folder.unfinished.remove(undo.id);
  return { done, undone, left: [...kept.left, ...left], ...(record && { record }) };
}

/**
 * Records what an engine did that was killed. Files that are changed together are completed where one of them is done.
 * @returns undefined if nothing was done @throws HostError `changes_unknown`
 */
export async function finishUndo(folder: OpenedFolder, undo: UnfinishedUndo, at: number): Promise<ChangeRecord | undefined> {
  const differences = undo.units.flatMap((unit) => unit.differences);
  const inFolder = (path: BytePath): Buffer => Buffer.concat([Buffer.from(`${folder.folder}/`), Buffer.from(path, 'latin1')]);
  await removeLeftBeside(
    undo.units.flatMap(({ files }) => [...files.keys()].map(inFolder)),
    undo.id,
  );
  const nameOf = (path: BytePath): string => join(folder.folder, shown(path));
  const working = await openWorkingFiles(folder, differences, { id: undo.id, editor: noEditor, nameOf });
  const finished: UndoUnit[] = [];
  const begun = new Map<UndoUnit, UndoUnit>();
  for (const unit of undo.units) {
    const open = new Map<BytePath, PlannedFile>();
    let isAsLeft = true;
    for (const [path, file] of unit.files) {
      const state = await working.current(path);
      if (state !== undefined && 'why' in state) isAsLeft = false;
      else if (isSame(state, file.now)) open.set(path, file);
      else if (!isSame(state, file.to)) isAsLeft = false;
    }
    if (!isAsLeft) continue;
    if (open.size === 0) finished.push(unit);
    else if (open.size < unit.files.size) begun.set({ ...unit, files: open }, unit);
  }
  const { units } = await working.apply([...begun.keys()]);
  const all = [...finished, ...units.flatMap((unit) => begun.get(unit) ?? [])];
  const done = all.flatMap(({ files }) => [...files].map(([path, file]) => differenceOf({ path, ...file })));
  return done.length === 0 ? undefined : save(folder, undo, { done, undone: all.flatMap((unit) => unit.differences), at });
}

const noEditor: EditorTexts = { unsaved: () => Promise.resolve({}), edit: () => Promise.resolve([]) };

interface Outcome {
  readonly done: readonly FileDifference[];
  readonly undone: readonly RecordedDifference[];
  readonly at: number;
}

async function save({ records }: OpenedFolder, { id, conversationId, sets }: UnfinishedUndo, outcome: Outcome): Promise<ChangeRecord> {
  const { done, undone, at } = outcome;
  const stored = await records.store(done);
  const files: ChangedFile[] = [];
  for await (const file of sliced(await records.compare(stored))) files.push(rowOf(file, 'tool'));
  const names = new Map(sets.map((set) => [set, new Set<string>()]));
  for await (const { set, path, from } of sliced(undone)) names.get(set)?.add(shown(path)).add(shown(from));
  const undoes = [...names].flatMap(([set, paths]) => (paths.size === 0 ? [] : [{ id: set, paths: [...paths] }]));
  const record = { ...setOf({ id, at, problems: [] }, files), kind: 'undo', undoes } as const;
  return records.save(conversationId, record, stored);
}
