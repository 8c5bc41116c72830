/** Appends to files of lines. What they contain stays, except for an incomplete last line. */
import { type FileHandle, open, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isMissing, makeFolders } from './files.js';

export interface AppendFile {
  /** The size that it had when it was opened. */
  readonly sizeBytes: number;
  /** Appends all of it, or nothing that a later `openAppend` with the known size leaves; call it once. Never synced to the disk. @throws the system's error */
  append(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/**
 * Creates the file and its folder if they don't exist, readable by the owner only. Cuts off an incomplete last line, which a program that was
 * killed has left.
 * @param knownBytes the size up to which the file is known to be whole: what a write that failed left after it is cut off
 */
export async function openAppend(path: string, knownBytes = Infinity): Promise<AppendFile> {
  const file = await openFile(path);
  try {
    const { size } = await file.stat();
    const sizeBytes = await endOfLines(file, Math.min(size, knownBytes));
    // By its path: on Windows, a file that is opened for appending can't be cut.
    if (sizeBytes < size) await truncate(path, sizeBytes);
    return {
      sizeBytes,
      async append(bytes) {
        try {
          for (let written = 0; written < bytes.length; ) written += (await file.write(bytes, written)).bytesWritten;
        } catch (error) {
          // Whoever opens it again cuts what can't be cut now.
          await truncate(path, sizeBytes).catch(() => {});
          throw error;
        }
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openFile(path: string): Promise<FileHandle> {
  const create = (): Promise<FileHandle> => open(path, 'a+', 0o600);
  try {
    return await create();
  } catch (error) {
    if (!isMissing(error)) throw error;
    await makeFolders(dirname(path));
    return create();
  }
}

async function endOfLines(file: FileHandle, size: number): Promise<number> {
  // The last line is nearly always complete.
  let length = 1;
  for (let end = size; end > 0; end -= length) {
    if (end < size) length = Math.min(end, 64 * 1024);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, end - length);
    const at = buffer.subarray(0, bytesRead).lastIndexOf(0x0a);
    if (at >= 0) return end - length + at + 1;
  }
  return 0;
}
