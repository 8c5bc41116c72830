/** What differs between two snapshots of a folder. */
import { sliced } from '../../node/sliced.js';
import { workFileFacts } from '../../node/workFiles.js';
import { type BytePath, compareNames, compareTrees, emptyTree, type FileDifference, type FileVersion, unkeptIn } from './differences.js';
import { clockMs, isIgnoreFile, prefixIn, type Snapshot, whyUnkept } from './snapshot.js';
import type { OpenedFolder } from './unfinished.js';

/** @returns the files that differ, in the order of their paths @throws HostError `changes_unknown` */
export async function compareSnapshots(opened: OpenedFolder, before: Snapshot, after: Snapshot): Promise<readonly FileDifference[]> {
  const kept = await compareAll(opened, before, after, compareTrees).catch(async (error: unknown) => {
    // Perhaps the project has removed contents that only it had.
    const found = await compareAll(opened, before, after, compareNames);
    const known = await opened.records.sizes(found.flatMap((file) => [file.before?.blob ?? [], file.after?.blob ?? []].flat()));
    const remaining = found.map((file) => ({ ...file, before: ifKnown(file.before, known), after: ifKnown(file.after, known) }));
    if (!remaining.some((file) => unkeptIn(file) !== undefined)) throw error;
    return remaining;
  });
  const all = await withoutHidden(withUnkept(kept, before.unkept, after.unkept), opened.folder, before);
  return all.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function compareAll(
  { git, folder, workTree, records }: OpenedFolder,
  before: Snapshot,
  after: Snapshot,
  compare: typeof compareTrees,
): Promise<readonly FileDifference[]> {
  const files: FileDifference[] = [];
  for (const prefix of new Set([...before.trees.keys(), ...after.trees.keys()])) {
    const [one, other] = [before.trees.get(prefix) ?? emptyTree, after.trees.get(prefix) ?? emptyTree];
    if (one === other) continue;
    const found = await compare(git, one, other, prefix === '' ? prefixIn({ folder, workTree }) : '');
    for (const file of found) files.push({ ...file, path: prefix + file.path, from: prefix + file.from });
  }
  // A file may have moved from one repository to another, also because its folder became one.
  const isSplit = files.length > 0 && before.trees.size + after.trees.size > 2;
  return isSplit && compare === compareTrees ? records.compare(await records.store(files)) : files;
}

function ifKnown(version: FileVersion | undefined, known: ReadonlyMap<string, number>): FileVersion | undefined {
  return version?.blob === undefined || known.has(version.blob) ? version : { ...version, blob: undefined, why: 'gone' };
}

/** Adds the files whose content is not kept on at least one side. */
function withUnkept(kept: readonly FileDifference[], before: Snapshot['unkept'], after: Snapshot['unkept']): FileDifference[] {
  const byPath = new Map(kept.map((file) => [file.path, file]));
  const side = (path: BytePath, stamp: string | undefined): FileVersion | undefined =>
    stamp === undefined ? undefined : { mode: '100644', blob: undefined, why: whyUnkept(path, stamp) };
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [one, other] = [before.get(path), after.get(path)];
    if (one === other) continue;
    const known = byPath.get(path);
    if (known !== undefined && known.from !== path) byPath.set(known.from, deletionOf(known));
    const knownBefore = known?.from === path ? known.before : undefined;
    byPath.set(path, { ...unchanged(path), before: side(path, one) ?? knownBefore, after: side(path, other) ?? known?.after });
  }
  return [...byPath.values()];
}

/**
 * Leaves out files that only came into sight or went out of it, because an ignore file was changed. One that is not ignored any more may
 * be older than the turn.
 */
async function withoutHidden(files: readonly FileDifference[], folder: string, { at }: Snapshot): Promise<FileDifference[]> {
  const isRuled = files.some(({ path, from }) => isIgnoreFile(path) || isIgnoreFile(from));
  const seen: FileDifference[] = [];
  for await (const file of sliced(files)) {
    const { path, from, before, after } = file;
    const isAdded = before === undefined || path !== from;
    if (after !== undefined && !(isAdded && isRuled)) {
      seen.push(file);
      continue;
    }
    const facts = workFileFacts(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]));
    const isHidden = facts !== undefined && (after === undefined || facts.changedAt < at - clockMs);
    if (isHidden && path !== from) seen.push(deletionOf(file));
    if (isHidden) continue;
    const isOlder = before === undefined && facts !== undefined && facts.createdAt < at - clockMs;
    seen.push(isOlder ? { ...file, before: { mode: '100644', blob: undefined, why: 'unseen' } } : file);
  }
  return seen;
}

function deletionOf({ from, before }: FileDifference): FileDifference {
  return { ...unchanged(from), before, after: undefined };
}

function unchanged(path: BytePath): Omit<FileDifference, 'before' | 'after'> {
  return { path, from: path, added: 0, removed: 0, isBinary: false };
}
