import { randomUUID } from 'node:crypto';
import { chmod, copyFile, link, mkdir, open, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Copies a file with its modification time; only the user can read the copy. The copy appears complete or not at all.
 * @param o.replaces whether to replace an existing file
 * @returns false if there is an existing file and it stays
 * @throws the system's error
 */
export async function copyPrivately(from: string, to: string, o: { readonly replaces?: boolean } = {}): Promise<boolean> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const next = `${to}.${randomUUID()}.tmp`;
  try {
    const { atime, mtime } = await stat(from);
    await copyFile(from, next);
    await chmod(next, 0o600);
    await utimes(next, atime, mtime);
    await (o.replaces === true ? rename(next, to) : link(next, to));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(next, { force: true });
  }
}

const chunkBytes = 1024 * 1024;

/**
 * Whether the second file begins with the whole content of the first one.
 * @throws the system's error
 */
export async function isBeginningOf(path: string, longer: string): Promise<boolean> {
  const [one, other] = [await open(path, 'r'), await open(longer, 'r')];
  try {
    for (let at = 0; ; ) {
      const { bytesRead, buffer } = await one.read(Buffer.alloc(chunkBytes), 0, chunkBytes, at);
      if (bytesRead === 0) return true;
      const same = await other.read(Buffer.alloc(bytesRead), 0, bytesRead, at);
      if (same.bytesRead < bytesRead || !buffer.subarray(0, bytesRead).equals(same.buffer)) return false;
      at += bytesRead;
    }
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
}
