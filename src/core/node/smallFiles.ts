/**
 * Reads and replaces small files of the host as a whole. Synchronous, so that a read and the write that follows don't mix with another
 * process, and because reading thousands takes a fraction of the time that one promise each would take.
 */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { isMissing, makeFoldersSync } from './files.js';
import { sliced } from './sliced.js';

export interface SmallFile {
  readonly text: string;
  /** Changes with each replacement. Use it for comparison only. */
  readonly version: string;
}

/** About the longest text that the runtime supports. Pictures in unsent prompts take more space than anything else. */
const limitBytes = 512 * 1024 * 1024;

/**
 * Does not wait for a pipe.
 * @returns undefined if there is no such file, or if it is not a regular file
 * @throws the system's error; RangeError for a file that is too large
 */
export function readSmallFile(path: string, maxBytes = limitBytes): SmallFile | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    const facts = fstatSync(file);
    if (!facts.isFile()) return undefined;
    if (facts.size > maxBytes) throw new RangeError(String(facts.size));
    const bytes = Buffer.allocUnsafe(facts.size);
    let length = 0;
    for (let read = 1; read > 0 && length < bytes.length; length += read) read = readSync(file, bytes, length, bytes.length - length, null);
    return { text: bytes.toString('utf8', 0, length), version: versionOf(facts) };
  } finally {
    closeSync(file);
  }
}

/** @param visit is called in order for each file that can be read, and with undefined for a file that doesn't exist */
export async function readSmallFiles(
  names: readonly string[],
  pathOf: (name: string) => string,
  visit: (name: string, file: SmallFile | undefined) => void,
): Promise<void> {
  for await (const name of sliced(names)) {
    let file: SmallFile | undefined;
    try {
      file = readSmallFile(pathOf(name));
    } catch {
      continue; // The file can't be read now, so what the caller knows about it remains valid.
    }
    visit(name, file);
  }
}

/**
 * Returns the names in a folder, or an empty list if there is no folder.
 * @throws the system's error
 */
export function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/**
 * Readers see either the whole new text or the old one. Creates the folder; only the user can read the folder and the file.
 * @throws the system's error
 */
export function replaceSmallFile(path: string, text: string): void {
  const next = writeBeside(path, text);
  try {
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

/**
 * @returns false if the file already exists
 * @throws the system's error
 */
export function createSmallFile(path: string, text: string): boolean {
  const next = writeBeside(path, text);
  try {
    linkSync(next, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(next, { force: true });
  }
}

export function removeSmallFile(path: string): void {
  rmSync(path, { force: true });
}

/** Follows links. Returns the path itself if there is no such folder. */
export function realFolderPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function writeBeside(path: string, text: string): string {
  makeFoldersSync(dirname(path));
  const next = `${path}.${randomUUID()}.tmp`;
  try {
    writeFileSync(next, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
  return next;
}

function versionOf({ mtimeMs, size, ino }: { readonly mtimeMs: number; readonly size: number; readonly ino: number }): string {
  return `${mtimeMs}-${size}-${ino}`;
}
