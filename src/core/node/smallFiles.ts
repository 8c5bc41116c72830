/**
 * Small files of the host's own, read and replaced whole. Synchronous: what is read and written back in one go is not mixed with what another
 * process writes meanwhile, and thousands are read in a fraction of the time that one promise each takes.
 */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isMissing } from './files.js';

export interface SmallFile {
  readonly text: string;
  /** Changes with each replacement: good for comparing only. */
  readonly version: string;
}

/** No file of this kind is larger; one that is, is not ours. */
const limitBytes = 64 * 1024 * 1024;
/** So many are read before others have their turn. */
const filesPerTurn = 200;

/** @returns undefined where there is no such file, or what stands there is no regular file; a pipe is not waited for @throws the system's error */
export function readSmallFile(path: string): SmallFile | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    const facts = fstatSync(file);
    if (!facts.isFile() || facts.size > limitBytes) return undefined;
    const bytes = Buffer.allocUnsafe(facts.size);
    let length = 0;
    for (let read = 1; read > 0 && length < bytes.length; length += read) read = readSync(file, bytes, length, bytes.length - length, null);
    return { text: bytes.toString('utf8', 0, length), version: versionOf(facts) };
  } finally {
    closeSync(file);
  }
}

/** @param visit called for each that can be read, in order; with undefined for what is not there */
export async function readSmallFiles(paths: readonly string[], visit: (path: string, file: SmallFile | undefined) => void): Promise<void> {
  for (const [index, path] of paths.entries()) {
    if (index > 0 && index % filesPerTurn === 0) await setImmediate();
    let file: SmallFile | undefined;
    try {
      file = readSmallFile(path);
    } catch {
      continue; // What was known of it still holds.
    }
    visit(path, file);
  }
}

/** As `SmallFile.version`, without reading it. @returns undefined where there is none */
export function fileVersion(path: string): string | undefined {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts === undefined ? undefined : versionOf(facts);
}

/** The names in a folder; none where there is no folder. @throws the system's error */
export function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Readers see the whole text or the one before. Makes the folder; only the user can read either. @throws the system's error */
export function replaceSmallFile(path: string, text: string): void {
  const next = writeBeside(path, text);
  try {
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

/** @returns false where there is one already @throws the system's error */
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

/** A sign of life: the file is as new as now. @throws the system's error, as where there is no such file */
export function touchSmallFile(path: string): void {
  const now = new Date();
  utimesSync(path, now, now);
}

/** Milliseconds since the epoch; undefined where there is no such file. */
export function touchedAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/** Follows links; the path itself where there is no such folder. */
export function realFolderPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function writeBeside(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
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
  return [mtimeMs, size, ino].join(' ');
}
