/**
 * Creates a folder and those above it. Node's own `recursive` never ends where the system says that a folder doesn't exist although the one
 * above it does, as in /proc.
 */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isMissing } from './files.js';

const ownerOnly = { mode: 0o700 };

/** Only the user can enter what is created. Does nothing if it exists. @throws the system's error */
export async function makeFolders(path: string): Promise<void> {
  try {
    await mkdir(path, ownerOnly);
  } catch (error) {
    if (isParentMissing(error, path)) {
      await makeFolders(dirname(path));
      return makeFolders(path);
    }
    if ((await stat(path).catch(() => undefined))?.isDirectory() !== true) throw error;
  }
}

/** The same, at once. */
export function makeFoldersSync(path: string): void {
  try {
    mkdirSync(path, ownerOnly);
  } catch (error) {
    if (isParentMissing(error, path)) {
      makeFoldersSync(dirname(path));
      return makeFoldersSync(path);
    }
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

function isParentMissing(error: unknown, path: string): boolean {
  const above = dirname(path);
  return isMissing(error) && above !== path && !existsSync(above);
}
