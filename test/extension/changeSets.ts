/** Changes of turns, for tests to start with. */
import type { ChangedFile, ChangeSet } from '../../src/core/index.js';

export function changedFile(path: string, changes: Partial<ChangedFile> = {}): ChangedFile {
  return { path, status: 'modified', added: 2, removed: 1, by: 'tool', ...changes };
}

/** @param id that of the turn */
export function changeSet(id: string, files: readonly ChangedFile[], changes: Partial<ChangeSet> = {}): ChangeSet {
  const sum = (of: 'added' | 'removed'): number => files.reduce((total, file) => total + file[of], 0);
  return {
    id,
    kind: 'turn',
    at: 1,
    files,
    fileCount: files.length,
    added: sum('added'),
    removed: sum('removed'),
    problems: [],
    ...changes,
  };
}
