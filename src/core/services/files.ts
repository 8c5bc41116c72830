/** The only way by which a path that an agent names reaches the disk. */
import { isWithin } from '../base/paths.js';
import { nearestRealPath } from '../node/files.js';
import { peekFile } from '../node/peekFile.js';

/** A file that is longer than this is not read. */
export const peekLimitBytes = 1_000_000;

export interface FileAccess {
  /**
   * The text of a file as it is now, for showing. Never rejects.
   * @param path absolute
   * @returns `null` where there is no such file; undefined where the path leads out of the folder, or its text cannot be shown
   */
  peek(path: string): Promise<string | null | undefined>;
}

/** @param folder absolute; what lies outside of it, also by a symbolic link, is not opened */
export function createFileAccess(folder: string): FileAccess {
  return {
    async peek(path) {
      try {
        const real = await realPathWithin(folder, path);
        return real === undefined ? undefined : await peekFile(real, peekLimitBytes);
      } catch {
        // A path that cannot be followed (a loop, no right to look) has nothing to show.
        return undefined;
      }
    },
  };
}

/**
 * Symbolic links are followed.
 * @returns undefined where the path leads out of the folder, or is the folder itself
 * @throws the system's error for a path that cannot be followed
 */
export async function realPathWithin(folder: string, path: string): Promise<string | undefined> {
  const [root, real] = await Promise.all([nearestRealPath(folder), nearestRealPath(path)]);
  return real !== root && isWithin(root, real) ? real : undefined;
}
