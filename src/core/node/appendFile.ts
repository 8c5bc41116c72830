/** The end of a file, and only the end: what is there stays as it is. */
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isMissing } from './files.js';

/** A file that only grows. Several processes may append to one: what one call takes stands together, behind what others wrote before. Never synced to the disk. */
export interface AppendFile {
  /** @returns how many of the bytes were taken: fewer where the disk became full @throws the system's error where none was */
  write(bytes: Uint8Array): Promise<number>;
  /** `removed`: no folder names it any more, so that what is written is lost. */
  stat(): Promise<{ readonly sizeBytes: number; readonly removed: boolean }>;
  close(): Promise<void>;
}

/** Makes the file, and its folder, where there is none. Readable by its owner only. */
export async function openAppend(path: string): Promise<AppendFile> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
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

/** Makes an empty file, and its folder. Readable by its owner only. @returns false where there is one already @throws the system's error */
export async function createForAppend(path: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await (await open(path, 'ax', 0o600)).close();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Whether a line of the file was cut short. False where there is no such file, or nothing in it. */
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
