/** The only way in which a path that an agent specifies reaches the disk. */
import { isWithin } from '../base/paths.js';
import { nearestRealPath, nearestRealPathNow } from '../node/files.js';
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

/** @param folder absolute; files outside of it, also through a symbolic link, are not opened */
export function createFileAccess(folder: string): FileAccess {
  return {
    async peek(path) {
      try {
        const real = await realPathWithin(folder, path);
        return real === undefined ? undefined : await peekFile(real, peekLimitBytes);
      } catch {
        // A path that can't be followed (a loop, missing permissions) has no content.
        return undefined;
      }
    },
    peekNow(path) {
      try {
        const [root, real] = [nearestRealPathNow(folder), nearestRealPathNow(path)];
        return isInside(root, real) ? peekFileNow(real, peekLimitBytes) : undefined;
      } catch {
        return undefined;
      }
    },
  };
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
