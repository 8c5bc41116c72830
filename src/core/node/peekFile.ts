import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { constants, open } from 'node:fs/promises';
import { isMissing } from './files.js';

/** Callers have already followed the links, so a link that appears afterwards is not followed. Windows has no such flag. */
const noFollow = process.platform === 'win32' ? 0 : constants.O_NOFOLLOW;

/**
 * Reads the text of a regular file for display. Never blocks on a pipe or a device.
 * @returns `null` if there is no such file; undefined if it is not a regular file, is larger than `limitBytes`, is binary, or cannot be
 * read
 */
export async function peekFile(path: string, limitBytes: number): Promise<string | null | undefined> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | noFollow);
    try {
      const stat = await handle.stat();
      if (!stat.isFile() || stat.size > limitBytes) return undefined;
      return textOf(await handle.readFile());
    } finally {
      await handle.close();
    }
  } catch (error) {
    return isMissing(error) ? null : undefined;
  }
}

/** The synchronous form of `peekFile`. */
export function peekFileNow(path: string, limitBytes: number): string | null | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | noFollow);
    try {
      const stat = fstatSync(file);
      return stat.isFile() && stat.size <= limitBytes ? textOf(readFileSync(file)) : undefined;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return isMissing(error) ? null : undefined;
  }
}

/** @throws TypeError if the bytes are not UTF-8 */
function textOf(bytes: Buffer): string | undefined {
  return bytes.includes(0) ? undefined : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}
