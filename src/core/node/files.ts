/** Text files of the host's own, in its own folders. What an agent may touch goes another way. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/**
 * Reads UTF-8; invalid bytes become U+FFFD.
 * @param o.limitBytes reads no more than the beginning
 * @returns undefined where there is no such file
 */
export async function readText(path: string, o: { readonly limitBytes?: number } = {}): Promise<string | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    if (o.limitBytes === undefined) return await handle.readFile('utf8');
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(o.limitBytes), 0, o.limitBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Absolute paths of the files of a folder whose names end so; none where there is no folder. */
export async function listFiles(directory: string, ending: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).filter((name) => name.endsWith(ending)).map((name) => join(directory, name));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Milliseconds since the epoch; undefined where there is no such file. */
export async function modifiedAt(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Makes the folder where it is missing, and a file in it that is removed again. @throws the error of the operating system where that cannot be */
export async function probeWritable(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, `probe-${randomUUID()}`);
  try {
    await writeFile(file, 'x', { mode: 0o600 });
  } finally {
    await rm(file, { force: true });
  }
}

/** A file that only grows. Appends are written in call order, many in one write when they come faster than the disk. */
export interface AppendFile {
  /** Resolves when the text was handed to the operating system. */
  append(text: string): Promise<void>;
  /** Appends `first()` if nothing is in the file yet. */
  whenEmpty(first: () => string): Promise<void>;
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Opens on the first append. A file whose last line was torn gets a line break first, so that the next line is whole. */
export function openAppend(path: string): AppendFile {
  let opened: Promise<FileHandle> | undefined;
  let tail: Promise<void> = Promise.resolve();
  let waiting: string[] = [];
  let closed = false;

  const handle = (): Promise<FileHandle> => (opened ??= openForAppend(path));
  const writeWaiting = async (): Promise<void> => {
    const text = waiting.join('');
    waiting = [];
    if (text !== '') await (await handle()).appendFile(text, 'utf8');
  };
  const enqueue = (step: () => Promise<void>): Promise<void> => {
    const result = tail.then(step);
    tail = result.catch(() => {});
    return result;
  };
  return {
    append(text) {
      if (closed) return Promise.reject(new Error(`appended to a closed file: ${path}`));
      waiting.push(text);
      return enqueue(writeWaiting);
    },
    whenEmpty(first) {
      return enqueue(async () => {
        if ((await (await handle()).stat()).size === 0) await (await handle()).appendFile(first(), 'utf8');
      });
    },
    flush: () => enqueue(writeWaiting),
    close() {
      if (closed) return tail;
      closed = true;
      return enqueue(async () => {
        await writeWaiting();
        if (opened !== undefined) await (await opened).close();
      });
    },
  };
}

async function openForAppend(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const torn = await endsInTheMiddleOfALine(path);
  const handle = await open(path, 'a', 0o600);
  if (torn) await handle.appendFile('\n');
  return handle;
}

async function endsInTheMiddleOfALine(path: string): Promise<boolean> {
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
