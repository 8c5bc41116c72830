/** The only way in which a path that an agent specifies reaches the disk. */
import { isAbsolute } from 'node:path';
import { isWithin } from '../base/paths.js';
import { isFolder, nearestRealPath, nearestRealPathNow } from '../node/files.js';
import { machineOf } from '../node/linkedPath.js';
import { peekFile, peekFileNow } from '../node/peekFile.js';

/** Files larger than this are not read. */
export const peekLimitBytes = 1_000_000;

export interface FileAccess {
  /**
   * Reads the current text of a file to display it. Never rejects.
   * @param path absolute
   * @returns `null` if the file doesn't exist; undefined if the path leads out of the folder, or if its text can't be shown
   */
  peek(path: string): Promise<string | null | undefined>;
  /** As `peek`, at once: for a file that the agent is about to write. Never throws. */
  peekNow(path: string): string | null | undefined;
}

/**
 * Files outside of the folders, also through a symbolic link, are not opened.
 * @param folder absolute
 * @param others as `otherFolders` returned them
 */
export function createFileAccess(folder: string, others: readonly string[] = []): FileAccess {
  const isRefused = (path: string): boolean => unusable(path, [folder, ...others]) !== undefined;
  return {
    async peek(path) {
      if (isRefused(path)) return undefined;
      try {
        const [root, real] = await Promise.all([nearestRealPath(folder), nearestRealPath(path)]);
        return isInsideOne([root, ...others], real) ? await peekFile(real, peekLimitBytes) : undefined;
      } catch {
        // A path that can't be followed (a loop, missing permissions) has no content.
        return undefined;
      }
    },
    peekNow(path) {
      if (isRefused(path)) return undefined;
      try {
        const [root, real] = [nearestRealPathNow(folder), nearestRealPathNow(path)];
        return isInsideOne([root, ...others], real) ? peekFileNow(real, peekLimitBytes) : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

/** Of a file or a folder, on every common file system: in bytes on Linux, in UTF-16 units elsewhere. */
const longestName = 255;

/**
 * Looks at the characters of a path alone, before it reaches the system.
 * @param folders absolute
 * @returns why an agent may not use the path; undefined if it may
 */
export function unusable(path: string, folders: readonly string[]): 'relative' | 'other_machine' | 'too_long' | undefined {
  if (!isAbsolute(path) || path.includes('\0')) return 'relative';
  // The folders before such a name would be created.
  const lengthOf = (name: string): number => (process.platform === 'linux' ? Buffer.byteLength(name) : name.length);
  if (path.split(/[\\/]/).some((name) => lengthOf(name) > longestName)) return 'too_long';
  // Looking at such a path would sign the user in there.
  return machineOf(path) !== undefined && !folders.some((one) => isWithin(one, path)) ? 'other_machine' : undefined;
}

/**
 * Returns the folders that a session may reach besides its own: absolute, without symbolic links and duplicates. One that does not exist is
 * left out. Never rejects.
 * @param folder absolute
 */
export async function otherFolders(folder: string, others: readonly string[]): Promise<readonly string[]> {
  if (others.length === 0) return [];
  const realFolder = async (path: string): Promise<string | undefined> => {
    if (!isAbsolute(path) || path.includes('\0') || !(await isFolder(path))) return undefined;
    return nearestRealPath(path).catch(() => undefined);
  };
  const [root, ...real] = await Promise.all([realFolder(folder), ...others.map(realFolder)]);
  return [...new Set(real)].filter((path) => path !== undefined && path !== root && path !== folder) as readonly string[];
}

function isInsideOne(roots: readonly string[], real: string): boolean {
  return roots.some((root) => isInside(root, real));
}

function isInside(root: string, real: string): boolean {
  return real !== root && isWithin(root, real);
}

/**
 * Follows symbolic links.
 * @returns undefined if the path leads out of the folder, or is the folder itself
 * @throws the system's error for a path that can't be followed
 */
export async function realPathWithin(folder: string, path: string): Promise<string | undefined> {
  const [root, real] = await Promise.all([nearestRealPath(folder), nearestRealPath(path)]);
  return isInside(root, real) ? real : undefined;
}
