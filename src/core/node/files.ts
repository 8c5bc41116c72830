/** Reads and writes the host's own text files, in its own folders. For files that an agent names, see services/files. */
import { randomUUID } from 'node:crypto';
import { accessSync, constants, existsSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { chmod, type FileHandle, mkdir, open, readdir, realpath, rename, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Whether an operation of the system failed, such as writing to a full disk. */
export function isOfSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

/**
 * Reads UTF-8; invalid bytes become U+FFFD.
 * @param o at most this many bytes are read
 * @returns undefined if there is no such file
 */
export async function readText(path: string, { limitBytes }: { readonly limitBytes?: number } = {}): Promise<string | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    // Decoded in one go: with an encoding, Node decodes and joins piece by piece.
    if (limitBytes === undefined) return (await handle.readFile()).toString('utf8');
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(limitBytes), 0, limitBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Returns the absolute paths of the files in a folder whose names have the ending; an empty list if there is no folder. */
export async function listFiles(directory: string, ending: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    // Reading a pipe or a device would wait for whoever writes to it.
    const files = entries.filter((entry) => entry.name.endsWith(ending) && (entry.isFile() || entry.isSymbolicLink()));
    return files.map(({ name }) => join(directory, name));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Returns the absolute paths of the folders in a folder; an empty list if there is no folder. */
export async function listFolders(directory: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(directory, name));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Follows links. */
export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}

/** Never throws. */
export function existsNow(path: string): boolean {
  return existsSync(path);
}

/** The synchronous form of `isFolder`, which costs least if there is nothing. */
export function isFolderNow(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

/** Whether the file may not be written: nobody may, as its mode says, or not this user. Follows links. Never throws. */
export function isReadOnlyNow(path: string): boolean {
  try {
    const facts = statSync(path, { throwIfNoEntry: false });
    if (facts === undefined) return false;
    accessSync(path, constants.W_OK);
    // The system lets root write everything.
    return (facts.mode & 0o222) === 0;
  } catch {
    return true;
  }
}

export interface FileFacts {
  readonly sizeBytes: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
}

/** Returns undefined if there is no such file. */
export async function fileFacts(path: string): Promise<FileFacts | undefined> {
  try {
    const { size, mtimeMs } = await stat(path);
    return { sizeBytes: size, modifiedAt: mtimeMs };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Replaces the file, which only the user can read. Creates the folder if it is missing. @param content all of it, or its pieces */
export async function writePrivateFile(path: string, content: string | Uint8Array | Iterable<string>): Promise<void> {
  await makeFolders(dirname(path));
  await writeFile(path, content, { mode: 0o600 });
}

/**
 * Replaces the file atomically and sets its modification time. A program that is killed meanwhile leaves `PATH.UUID.new`.
 * @param modifiedAt milliseconds since the epoch
 */
export async function replaceText(path: string, text: string, modifiedAt: number): Promise<void> {
  const beside = `${path}.${randomUUID()}.new`;
  try {
    await writeFile(beside, text, { mode: 0o600 });
    await utimes(beside, modifiedAt / 1000, modifiedAt / 1000);
    await rename(beside, path);
  } finally {
    await rm(beside, { force: true });
  }
}

/**
 * Follows links.
 * @param path absolute
 * @returns undefined if there is no such file or folder
 */
export async function realPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Does nothing if there is no such file. */
export function removeFile(path: string): Promise<void> {
  return rm(path, { force: true });
}

/** Does nothing if there is no such folder. */
export function removeFolder(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true });
}

/** Does nothing if there is no such file. */
export async function makeExecutable(path: string): Promise<void> {
  try {
    await chmod(path, 0o755);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

export function moveFile(path: string, to: string): Promise<void> {
  return rename(path, to);
}

/** @throws the error of the operating system, also if there is something at the new path */
export function moveFolder(path: string, to: string): Promise<void> {
  return rename(path, to);
}

/**
 * Checks that files can be created in the folder, by creating and removing one. Creates the folder if it is missing.
 * @throws the error of the operating system if that fails
 */
export async function probeWritable(directory: string): Promise<void> {
  await makeFolders(directory);
  const file = join(directory, `probe-${randomUUID()}`);
  try {
    await writeFile(file, 'x', { mode: 0o600 });
  } finally {
    await rm(file, { force: true });
  }
}

/**
 * Follows every symbolic link of the path as far as it exists, and appends the rest of the path to the real path of the nearest existing
 * folder.
 * @throws the error of the operating system if a link cannot be followed or leads to nothing
 */
export async function nearestRealPath(path: string): Promise<string> {
  // Only to wait for a disk that is slow to answer: then, the synchronous look takes a fraction of several asynchronous ones.
  await realpath(path).catch(() => {});
  return nearestRealPathNow(path);
}

/** The synchronous form of `nearestRealPath`. */
export function nearestRealPathNow(path: string): string {
  const missing: string[] = [];
  for (let existing = path; ; existing = dirname(existing)) {
    try {
      const real = join(realpathSync.native(existing), ...missing.reverse());
      return missing.includes('..') ? nearestRealPathNow(real) : real;
    } catch (error) {
      if (!mayBeMissing(existing, error)) throw error;
      missing.push(basename(existing));
    }
  }
}

/**
 * Whether the path does not exist but could. A link that leads nowhere exists.
 * @param error of `realpath`, which calls a path that is too long missing if it begins with a missing folder
 * @throws the error of the operating system
 */
function mayBeMissing(path: string, error: unknown): boolean {
  return isMissing(error) && dirname(path) !== path && lstatSync(path, { throwIfNoEntry: false }) === undefined;
}

const ownerOnly = { mode: 0o700 };

/**
 * Creates a folder and those above it, which only the user can enter. Does nothing if it exists. Node's own `recursive` never ends where the
 * system says that a folder doesn't exist although the one above it does, as in /proc.
 * @throws the system's error
 */
export async function makeFolders(path: string): Promise<void> {
  try {
    return await createFolder(path);
  } catch (error) {
    if (!mayLackParent(path, error)) throw error;
  }
  await makeFolders(dirname(path));
  // Once, whoever created the one above.
  await createFolder(path);
}

/** The same, at once. */
export function makeFoldersSync(path: string): void {
  try {
    return createFolderSync(path);
  } catch (error) {
    if (!mayLackParent(path, error)) throw error;
  }
  makeFoldersSync(dirname(path));
  createFolderSync(path);
}

async function createFolder(path: string): Promise<void> {
  try {
    await mkdir(path, ownerOnly);
  } catch (error) {
    if ((await stat(path).catch(() => undefined))?.isDirectory() !== true) throw error;
  }
}

function createFolderSync(path: string): void {
  try {
    mkdirSync(path, ownerOnly);
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

function mayLackParent(path: string, error: unknown): boolean {
  return isMissing(error) && dirname(path) !== path;
}

export interface AppendFile {
  /** The size that it had when it was opened. */
  readonly sizeBytes: number;
  /** Appends all of it, or nothing that a later `openAppend` with the known size leaves; call it once. Never synced to the disk. @throws the system's error */
  append(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/**
 * Creates the file and its folder if they don't exist, readable by the owner only. Cuts off an incomplete last line, which a program that was
 * killed has left.
 * @param knownBytes the size up to which the file is known to be whole: what a write that failed left after it is cut off
 */
export async function openAppend(path: string, knownBytes = Infinity): Promise<AppendFile> {
  const file = await openFile(path);
  try {
    const { size } = await file.stat();
    const sizeBytes = await endOfLines(file, Math.min(size, knownBytes));
    // By its path: on Windows, a file that is opened for appending can't be cut.
    if (sizeBytes < size) await truncate(path, sizeBytes);
    return {
      sizeBytes,
      async append(bytes) {
        try {
          for (let written = 0; written < bytes.length; ) written += (await file.write(bytes, written)).bytesWritten;
        } catch (error) {
          // Whoever opens it again cuts what can't be cut now.
          await truncate(path, sizeBytes).catch(() => {});
          throw error;
        }
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openFile(path: string): Promise<FileHandle> {
  const create = (): Promise<FileHandle> => open(path, 'a+', 0o600);
  try {
    return await create();
  } catch (error) {
    if (!isMissing(error)) throw error;
    await makeFolders(dirname(path));
    return create();
  }
}

async function endOfLines(file: FileHandle, size: number): Promise<number> {
  // The last line is nearly always complete.
  let length = 1;
  for (let end = size; end > 0; end -= length) {
    if (end < size) length = Math.min(end, 64 * 1024);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, end - length);
    const at = buffer.subarray(0, bytesRead).lastIndexOf(0x0a);
    if (at >= 0) return end - length + at + 1;
  }
  return 0;
}
