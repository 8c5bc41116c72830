/** Files and folders that are trusted only if nobody but this user can have written them. Synchronous, like smallFiles.ts. */
import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readFileSync, rmSync, type Stats, statSync } from 'node:fs';
import { isMissing, makeFoldersSync } from './files.js';

/** Why it is not trusted: it is something else, such as a symbolic link; it belongs to another user; or other users may access it. */
export type Distrust = 'kind' | 'owner' | 'mode';

/**
 * Reads a file without following a symbolic link. Does not wait for a pipe.
 * @returns undefined if there is no such file
 * @throws the system's error
 */
export function readPrivateFile(path: string, limitBytes: number): { readonly text: string } | { readonly distrust: Distrust } | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (hasCode(error, 'ELOOP')) return { distrust: 'kind' };
    throw error;
  }
  try {
    const facts = fstatSync(file);
    const distrust = facts.isFile() && facts.size <= limitBytes ? distrustOf(facts) : 'kind';
    return distrust === undefined ? { text: readFileSync(file, 'utf8') } : { distrust };
  } finally {
    closeSync(file);
  }
}

/**
 * Creates the folder if it is missing. Never changes one that exists.
 * @returns undefined if only this user can enter it
 * @throws the system's error
 */
export function makePrivateFolder(path: string): Distrust | undefined {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  return isPrivateFolder(path);
}

/**
 * Creates the folder, and those above it, if they are missing. It may be a link to one.
 * @returns undefined if only this user can enter it
 * @throws the system's error
 */
export function makeFolder(path: string): Distrust | undefined {
  makeFoldersSync(path);
  return distrustOf(statSync(path));
}

/** @returns undefined if only this user can enter the folder @throws the system's error */
export function isPrivateFolder(path: string): Distrust | undefined {
  const facts = lstatSync(path);
  return facts.isDirectory() ? distrustOf(facts) : 'kind';
}

function distrustOf({ uid, mode }: Stats): Distrust | undefined {
  // Windows has neither; there, the user's own folders are private.
  if (process.getuid === undefined) return undefined;
  if (uid !== process.getuid()) return 'owner';
  return (mode & 0o077) === 0 ? undefined : 'mode';
}

/** Work under a lock takes less than a millisecond. Whoever holds it longer was stopped, or died. */
const staleMs = 10_000;

/**
 * Runs the work unless another process has the lock.
 * @param path of the lock, a folder that exists only meanwhile
 * @returns what the work returns, or false if it did not run
 * @throws the system's error
 */
export function underLock(path: string, work: () => boolean): boolean {
  if (!tryMakeFolder(path) && !(breakStaleLock(path) && tryMakeFolder(path))) return false;
  const own = markOf(path);
  try {
    return work();
  } finally {
    // If this process was stopped meanwhile, another one may have broken the lock and made its own.
    if (own !== undefined && markOf(path) === own) rmSync(path, { recursive: true, force: true });
  }
}

/** @returns whether nobody has the lock now. What one process found stale, another may have broken and taken already. */
function breakStaleLock(path: string): boolean {
  const stale = lstatSync(path, { throwIfNoEntry: false });
  if (stale === undefined) return true;
  // In the future if the clock was set back.
  if (Math.abs(Date.now() - stale.mtimeMs) < staleMs) return false;
  const mark = markIn(stale);
  // Of those that found it stale, one at a time looks again, so that nobody removes a lock that was taken meanwhile.
  return underLock(`${path}.${mark}`, () => {
    if (markOf(path) !== mark) return false;
    rmSync(path, { recursive: true, force: true });
    return true;
  });
}

function tryMakeFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function markOf(path: string): string | undefined {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  return facts === undefined ? undefined : markIn(facts);
}

const markIn = ({ ino, mtimeMs }: Stats): string => `${ino}-${mtimeMs}`;

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
