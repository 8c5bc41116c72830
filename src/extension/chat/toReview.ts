/** What the user has not reviewed of the changes of a conversation. Pure. */
import type { ChangeSet } from '../../core/index.js';

/** A file with everything that turns changed in it since the user last reviewed it. */
export interface FileToReview {
  /** As the file is called now, relative to the folder; if it was deleted, as it was called. */
  readonly path: string;
  /** The change set whose version before is the reviewed one, and what the file was called then. */
  readonly set: string;
  readonly from: string;
  readonly isNew: boolean;
  readonly isGone: boolean;
  /** Whether its versions can be compared. */
  readonly isText: boolean;
  /** @see ChangedFile.alsoUser */
  readonly alsoUser: boolean;
  /** The last change set that changed it. */
  readonly last: string;
  /** Of the first change set. @see ChangedFile.reviewedHunks */
  readonly reviewedHunks: readonly string[];
}

export interface Review {
  /** The turns whose changes are not reviewed, oldest first. */
  readonly sets: readonly ChangeSet[];
  /** By their paths; without those that were created and deleted again. */
  readonly files: readonly FileToReview[];
  /** More than there are in `files` if a turn changed more than front ends have. */
  readonly fileCount: number;
}

/** Every update of a chat asks, and few updates change anything here. */
const known = new WeakMap<readonly ChangeSet[], Review>();

/** @param changes of a conversation, oldest first */
export function reviewOf(changes: readonly ChangeSet[]): Review {
  let review = known.get(changes);
  if (review === undefined) known.set(changes, (review = find(changes)));
  return review;
}

function find(changes: readonly ChangeSet[]): Review {
  const sets = changes.filter(({ kind, files }) => kind === 'turn' && files.some(isToReview));
  const files = netChanges(sets);
  return { sets, files, fileCount: files.length + sets.reduce((sum, set) => sum + set.fileCount - set.files.length, 0) };
}

function isToReview({ isReviewed, isUndone }: ChangeSet['files'][number]): boolean {
  return isReviewed !== true && isUndone !== true;
}

/** Returns what taking several change sets back concerns, reviewed or not. @param sets oldest first */
export function filesOf(sets: readonly ChangeSet[]): readonly FileToReview[] {
  return netChanges(sets.map(({ id, files }) => ({ id, files: files.map(({ isReviewed: _, ...file }) => file) })));
}

/** Returns what several change sets changed together, as far as it is to be reviewed. @param sets oldest first */
export function netChanges(sets: readonly Pick<ChangeSet, 'id' | 'files'>[]): readonly FileToReview[] {
  const byPath = new Map<string, FileToReview>();
  for (const { id, files } of sets) {
    const changed = files.filter(isToReview);
    const earlier = new Map(changed.map(({ path, from = path }) => [from, byPath.get(from)]));
    // A file may take the name of another one that was renamed in the same turn.
    const left = new Set(changed.map(({ from }) => from));
    for (const { path, from = path } of changed) byPath.delete(from);
    for (const { path, from = path, status, isBinary, unkept, alsoUser, reviewedHunks = [] } of changed) {
      const before = from === path && left.has(path) ? undefined : earlier.get(from);
      const isNew = before?.isNew ?? status === 'added';
      const isGone = status === 'deleted';
      if (isNew && isGone) continue;
      const isText = before?.isText !== false && isBinary !== true && unkept === undefined;
      const first = before ?? { set: id, from, reviewedHunks };
      byPath.set(path, {
        path,
        set: first.set,
        from: first.from,
        isNew,
        isGone,
        isText,
        alsoUser: alsoUser === true || before?.alsoUser === true,
        last: id,
        reviewedHunks: first.reviewedHunks,
      });
    }
  }
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns the change sets that a file to review comes from, each with its name in them, the newest first. */
export function partsOf({ sets }: Review, file: FileToReview): readonly { readonly set: string; readonly path: string }[] {
  const parts: { readonly set: string; readonly path: string }[] = [];
  let name = file.path;
  for (const { id, files } of sets.toReversed()) {
    const row = files.find((one) => one.path === name && isToReview(one));
    if (row === undefined) continue;
    parts.push({ set: id, path: name });
    name = row.from ?? name;
    if (id === file.set) break;
  }
  return parts;
}
