/** The only file of the command line that accesses the disk. The core handles saved conversations. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../core/index.js';
import { usageError } from '../arguments/optionValues.js';

const ownerOnly = 0o600;

/** Returns the absolute path without symbolic links; undefined if there is no such folder. */
export async function realFolder(folder: string): Promise<string | undefined> {
  const facts = await stat(folder).catch(() => undefined);
  return facts?.isDirectory() ? realpath(folder) : undefined;
}

/**
 * Like `realFolder`.
 * @param option that names it @throws HostError `usage`
 */
export async function existingFolder(folder: string, option = '--cwd'): Promise<string> {
  const absolute = path.resolve(folder);
  const real = await realFolder(absolute);
  if (real === undefined) throw usageError(`${option} is not a folder: ${absolute}`);
  return real;
}

/**
 * Reads a file that the user named.
 * @param option that names it, or what the file is @throws HostError `usage`
 */
export async function readText(file: string, option: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    throw usageError(`${option} can't be read: ${readProblems[code] ?? messageOf(cause)} (${path.resolve(file)})`, { cause });
  }
}

const readProblems: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
};

/** Returns undefined if the file cannot be read. */
export function readTextSync(file: string | URL): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // the caller works without it
  }
}

/**
 * Creates the file and its folder if necessary; only the user can read it.
 * @throws the system's error
 */
export function appendTextSync(file: string, text: string): void {
  const folder = path.dirname(file);
  // The folder above exists, unless nothing can be saved.
  if (!existsSync(folder)) mkdirSync(folder);
  appendFileSync(file, text, { mode: ownerOnly });
}

/**
 * Replaces the file atomically; only the user can read it.
 * @throws the system's error
 */
export function replaceTextSync(file: string, text: string): void {
  const next = `${file}.${process.pid}`;
  writeFileSync(next, text, { mode: ownerOnly });
  renameSync(next, file);
}
