/** Records the turns that ran when the engine was killed. */
import type { ChangesProblem } from '../../session/changes.js';
import type { ChangeRecord } from './records.js';
import { compareSnapshots } from './compareSnapshots.js';
import { shown } from './differences.js';
import { rowOf, setOf } from './rows.js';
import type { Snapshot } from './snapshot.js';
import type { OpenedFolder, UnfinishedTurn } from './unfinished.js';

/** What a folder differs by after such a time is the work of others. */
const forgottenMs = 7 * 24 * 3_600_000;

/**
 * What differs from the state before the turn is its change set. What nobody had seen while it ran may have been changed since, by whoever
 * it was: it is marked as perhaps the user's.
 * @param now the first state of the folder that this engine knows
 * @param facts.isShared another conversation worked in the folder, too
 * @returns undefined if there is nothing to record @throws HostError `changes_unknown`
 */
export async function recordInterrupted(
  folder: OpenedFolder,
  { id, conversationId, before, isLate, seen }: UnfinishedTurn,
  now: Snapshot,
  { at, isShared }: { readonly at: number; readonly isShared: boolean },
): Promise<ChangeRecord | undefined> {
  if (now.at - before.at > forgottenMs) return undefined;
  const differences = await compareSnapshots(folder, before, now);
  if (differences.length === 0) return undefined;
  const later = seen && new Set((await compareSnapshots(folder, seen.snapshot, now)).flatMap(({ path, from }) => [path, from]));
  const files = differences.map((file) => {
    const isNamed = [file.path, file.from].some((path) => seen?.named.has(shown(path)));
    const row = rowOf(file, isNamed ? 'tool' : 'other');
    const isSeen = later !== undefined && ![file.path, file.from].some((path) => later.has(path));
    return isSeen ? row : { ...row, alsoUser: true as const };
  });
  const problems: ChangesProblem[] = ['interrupted'];
  if (isLate) problems.push('late');
  if (isShared) problems.push('shared');
  const stored = await folder.records.store(differences);
  return folder.records.save(conversationId, { ...setOf({ id, at, problems }, files), kind: 'turn', undoes: [] }, stored);
}
