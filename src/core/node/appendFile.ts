/** Appends to files, and never changes what they already contain. */
import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isMissing, makeFolders } from './files.js';

/**
 * A file that only grows: the bytes of one call stay together. Never synced to the disk.
 */
export interface AppendFile {
  /**
   * @returns how many of the bytes were written; fewer if the disk became full
   * @throws the system's error if none were
   */
  write(bytes: Uint8Array): Promise<number>;
  /** `removed` means that no folder contains the file any more, so anything written to it is lost. */
  stat(): Promise<{ readonly sizeBytes: number; readonly removed: boolean }>;
  close(): Promise<void>;
}

/** Creates the file and its folder if they don't exist, readable by the owner only. */
export async function openAppend(path: string): Promise<AppendFile> {
  await makeFolders(dirname(path));
  const handle = await open(path, 'a', 0o600);
  return {
    async write(bytes) {
      return (await handle.write(bytes)).bytesWritten;
    },
    async stat() {
      const { size, nlink } = await handle.stat();
      return { sizeBytes: size, removed: nlink === 0 };
    },
    close: () => handle.close(),
  };
}

/** Whether the last line of the file is incomplete. Returns false if the file is missing or empty. */
export async function endsInMidLine(path: string): Promise<boolean> {
  try {
    const { size } = await stat(path);
    if (size === 0) return false;
    const handle = await open(path, 'r');
    try {
      const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
      return buffer[0] !== 0x0a;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
