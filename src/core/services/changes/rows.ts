/** Changed files as rows of a change set. */
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { ChangedFile, ChangeSet } from '../../session/changes.js';
import { type FileDifference, shown, unkeptIn } from './differences.js';

/** What files in a folder are called, relative to it. @param roots the names of the folder @param paths absolute, or relative to it */
export function namesIn(roots: readonly string[], paths: ReadonlySet<string>): ReadonlySet<string> {
  const ways = [...paths].flatMap((path) => roots.map((root) => relative(root, resolve(root, path))));
  return new Set(ways.filter((way) => !isAbsolute(way)).map((way) => way.replaceAll(sep, '/')));
}

export function rowOf({ path, from, before, after, added, removed, isBinary }: FileDifference, by: ChangedFile['by']): ChangedFile {
  const unkept = unkeptIn({ before, after });
  return {
    path: shown(path),
    status: before === undefined ? 'added' : after === undefined ? 'deleted' : path === from ? 'modified' : 'renamed',
    ...(path !== from && { from: shown(from) }),
    added,
    removed,
    by,
    ...(isBinary && { isBinary }),
    ...(unkept !== undefined && { unkept }),
  };
}

export function setOf(facts: Pick<ChangeSet, 'id' | 'at' | 'problems'>, files: readonly ChangedFile[]): Omit<ChangeSet, 'kind'> {
  const sum = (of: 'added' | 'removed'): number => files.reduce((total, file) => total + file[of], 0);
  return { ...facts, files, fileCount: files.length, added: sum('added'), removed: sum('removed') };
}
