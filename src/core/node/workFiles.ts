/**
 * The files of the user's folder, exactly: bytes, links and the executable bit. Their names need not be UTF-8, so every path is bytes.
 * For what an agent names, see services/files; callers make sure that a path stays in its folder.
 */
import { randomUUID } from 'node:crypto';
import { accessSync, closeSync, constants, fchmodSync, lstatSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, readlink, rename, rm, rmdir, symlink } from 'node:fs/promises';
import { isMissing } from './files.js';

/** As git names them: a file, an executable one, a symbolic link. */
export type FileMode = '100644' | '100755' | '120000';

export interface WorkFile {
  readonly mode: FileMode;
  /** Of a link: where it leads. */
  readonly bytes: Buffer;
}

/** What the file system says of a file without opening it. */
export interface WorkFileFacts {
  readonly sizeBytes: number;
  readonly isReadable: boolean;
  /** Differs after each change. */
  readonly stamp: string;
  /** When its content, its name or its mode changed last, in milliseconds since the epoch. No program can set it. */
  readonly changedAt: number;
  /** 0 where the file system does not know. */
  readonly createdAt: number;
}

/** Returns undefined if there is neither a file nor a link. Never throws. */
export function workFileFacts(path: Buffer): WorkFileFacts | undefined {
  try {
    const facts = lstatSync(path);
    if (!facts.isFile() && !facts.isSymbolicLink()) return undefined;
    const { size, mtimeMs, ctimeMs, birthtimeMs, ino } = facts;
    return {
      sizeBytes: facts.isFile() ? size : 0,
      isReadable: facts.isSymbolicLink() || mayRead(path),
      stamp: [size, mtimeMs, ctimeMs, ino].join(' '),
      changedAt: ctimeMs,
      createdAt: birthtimeMs,
    };
  } catch {
    return undefined;
  }
}

/** Returns false for a link to a folder. Never throws. */
export function isWorkFolder(path: Buffer): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Returns the size in bytes that a stamp of `WorkFileFacts` has. */
export function sizeInStamp(stamp: string): number {
  return Number.parseInt(stamp, 10);
}

function mayRead(path: Buffer): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * @returns undefined if there is nothing, or a folder; `other` for a pipe, a device or a larger file, which are not opened
 * @throws the system's error
 */
export async function readWorkFile(path: Buffer, limitBytes: number): Promise<WorkFile | 'other' | undefined> {
  try {
    const facts = await lstat(path);
    if (facts.isSymbolicLink()) return { mode: '120000', bytes: await readlink(path, { encoding: 'buffer' }) };
    if (facts.isDirectory()) return undefined;
    if (!facts.isFile() || facts.size > limitBytes) return 'other';
    return { mode: (facts.mode & 0o100) === 0 ? '100644' : '100755', bytes: await readFile(path) };
  } catch (error) {
    if (isMissing(error) || hasCode(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

/**
 * Replaces the file, or a folder without files, completely or not at all. Creates its folders if they are missing. Follows no link in the place of
 * the file.
 * @param mark begins the name of the file beside it that is left if the program is killed meanwhile: see `removeLeftBeside`
 * @throws the system's error
 */
export async function writeWorkFile(path: Buffer, { mode, bytes }: WorkFile, mark = 'acp-host'): Promise<void> {
  const before = lstatSync(path, { throwIfNoEntry: false });
  // The name of the file may be as long as the system allows, so this one has nothing of it.
  const beside = Buffer.concat([parentOf(path), Buffer.from(`/.${mark}.${randomUUID()}.tmp`)]);
  const create = (): Promise<void> =>
    mode === '120000'
      ? symlink(bytes, beside)
      : writeNew(beside, bytes, permissions(mode, before?.isFile() === true ? before.mode : undefined));
  try {
    await create().catch(async (error: unknown) => {
      if (!isMissing(error)) throw error;
      await mkdir(parentOf(path), { recursive: true });
      await create();
    });
    // It fails if there is a file in one of them.
    if (before?.isDirectory() === true) for (const folder of (await emptyFolders(path)) ?? [path]) await rmdir(folder);
    if (bytes.length <= smallBytes) renameSync(beside, path);
    else await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => {});
    throw error;
  }
}

/** Removes what a program left that was killed while it wrote these files with this mark. @throws the system's error */
export async function removeLeftBeside(paths: readonly Buffer[], mark: string): Promise<void> {
  const folders = new Map(paths.map((path) => [parentOf(path).toString('latin1'), parentOf(path)]));
  for (const folder of folders.values()) {
    const names = await readdir(folder, { encoding: 'buffer' }).catch(() => []);
    for (const name of names)
      if (name.toString('latin1').startsWith(`.${mark}.`)) await rm(Buffer.concat([folder, Buffer.from('/'), name]), { force: true });
  }
}

/** @returns the folder and those in it, the deepest first; undefined if there is anything else in them */
async function emptyFolders(path: Buffer): Promise<readonly Buffer[] | undefined> {
  const folders: Buffer[] = [];
  for (const entry of await readdir(path, { withFileTypes: true, encoding: 'buffer' })) {
    const inside = entry.isDirectory() ? await emptyFolders(Buffer.concat([path, Buffer.from('/'), entry.name])) : undefined;
    if (inside === undefined) return undefined;
    folders.push(...inside);
  }
  return [...folders, path];
}

/** Of so many bytes, the promises take longer than writing them. */
const smallBytes = 64 * 1024;

async function writeNew(path: Buffer, bytes: Buffer, permitted: number): Promise<void> {
  // What the system takes from new files, it does not take from one that had it.
  const isMasked = process.platform !== 'win32' && (permitted & process.umask()) !== 0;
  if (bytes.length <= smallBytes) {
    const file = openSync(path, 'wx', permitted);
    try {
      writeFileSync(file, bytes);
      if (isMasked) fchmodSync(file, permitted);
    } finally {
      closeSync(file);
    }
    return;
  }
  const file = await open(path, 'wx', permitted);
  try {
    await file.writeFile(bytes);
    if (isMasked) await file.chmod(permitted);
  } finally {
    await file.close();
  }
}

/** What others may do stays; git knows only whether the file can be executed. */
function permissions(mode: FileMode, before: number | undefined): number {
  const plain = before === undefined ? 0o666 & ~process.umask() : before & 0o7666;
  // Who may read may execute.
  return mode === '100755' ? plain | ((plain & 0o444) >> 2) : plain;
}

/**
 * Removes the file, and the folders that are empty then.
 * @param within the folders up to this one stay
 * @throws the system's error
 */
export async function removeWorkFile(path: Buffer, within: Buffer): Promise<void> {
  await rm(path, { force: true });
  for (let folder = parentOf(path); folder.length > within.length; folder = parentOf(folder)) {
    try {
      await rmdir(folder);
    } catch {
      return;
    }
  }
}

/**
 * Whether one of the folders that lead to the path is a link, which could lead anywhere.
 * @param from the folders up to this one may be links
 * @throws the system's error
 */
export function leadsOverLink(path: Buffer, from: Buffer): boolean {
  const folders: Buffer[] = [];
  for (let folder = parentOf(path); folder.length > from.length; folder = parentOf(folder)) folders.unshift(folder);
  // From above, because what is below a link is somewhere else.
  for (const folder of folders) {
    const facts = lstatSync(folder, { throwIfNoEntry: false });
    if (facts?.isSymbolicLink() === true) return true;
    if (facts?.isDirectory() !== true) return false;
  }
  return false;
}

function parentOf(path: Buffer): Buffer {
  return path.subarray(0, Math.max(path.lastIndexOf(0x2f), process.platform === 'win32' ? path.lastIndexOf(0x5c) : -1, 0));
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
