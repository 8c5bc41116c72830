import { fstatSync } from 'node:fs';
import { type Disposable, LineSplitter, wellFormedJson } from '../../core/index.js';

/** The process as the command line uses it. */
export interface Io {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
}

/** See https://no-color.org: any value except the empty one counts. */
export function isColored(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** Whether both outputs go to one file or pipe (`2>&1`). */
export function isOneFile({ stdout, stderr }: Pick<Io, 'stdout' | 'stderr'>): boolean {
  if (stdout !== process.stdout || stderr !== process.stderr) return false;
  try {
    const [out, err] = [fstatSync(1), fstatSync(2)];
    return out.ino === err.ino && out.dev === err.dev;
  } catch {
    return false;
  }
}

/** Whether a user can read a question and type an answer. */
export function isInteractive({ stdin, stderr }: Io): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Writes a value as one line of JSON that every parser of JSON accepts. */
export function writeJson(stream: NodeJS.WriteStream, value: unknown): void {
  stream.write(`${wellFormedJson(JSON.stringify(value))}\n`);
}

/** Resolves once everything written so far has left the process, or is abandoned. */
export async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.destroyed || abandoning(stream).signal.aborted) return;
  await Promise.race([untilAbandoned(stream), new Promise<void>((resolve) => stream.write('', () => resolve()))]);
}

/** Resolves when `abandon` is called, or was called before. */
export function untilAbandoned(stream: NodeJS.WriteStream): Promise<void> {
  const { signal } = abandoning(stream);
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Stops waiting for the reader of a stream when the program ends. Node does not allow destroying a standard stream. */
export function abandon(stream: NodeJS.WriteStream): void {
  abandoning(stream).abort();
}

/** How long a program that was told to end waits for what it has written to be read. */
const lastReadMs = 1_000;

/** The program ends now: it waits for no reader that has stopped reading. */
export function hurry({ stdout, stderr }: Pick<Io, 'stdout' | 'stderr'>): void {
  for (const stream of [stdout, stderr]) {
    if (isFull(stream)) abandon(stream);
    else setTimeout(() => abandon(stream), lastReadMs).unref();
  }
}

/** Whether more was written than the reader has read, and the stream is not abandoned. */
export function isFull(stream: NodeJS.WriteStream): boolean {
  return stream.writableNeedDrain && !stream.destroyed && !abandoning(stream).signal.aborted;
}

const abandoned = new WeakMap<NodeJS.WriteStream, AbortController>();

function abandoning(stream: NodeJS.WriteStream): AbortController {
  let controller = abandoned.get(stream);
  if (controller === undefined) abandoned.set(stream, (controller = new AbortController()));
  return controller;
}

/**
 * Reads a text to the end of the stream: UTF-8, or UTF-16 if it begins with a byte order mark, as Windows PowerShell writes it.
 * @returns undefined if it is no such text
 */
export async function readAll(stream: NodeJS.ReadStream): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  const bytes = Buffer.concat(chunks);
  const mark = bytes.toString('hex', 0, 2);
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

// Reads the lines of stdin, split at LF only: JSON may contain U+2028, at which `readline` splits too (since Node 24).

interface LineReader {
  /** Called without the line end; empty lines are skipped. */
  readonly onLine: (line: string) => void;
  /** Called instead of `onLine` with the beginning of a line that exceeds the core's limit. */
  readonly onLineTooLong: (head: string) => void;
  /** Called once, at the end of stdin. */
  readonly onEnd: () => void;
}

/** Reads until the end of stdin. After disposing, `onEnd` is not called. */
export function readLines(stdin: NodeJS.ReadStream, { onLine, onLineTooLong, onEnd }: LineReader): Disposable {
  const stop = (): void => {
    // The rest of the current chunk must not be delivered either.
    splitter.pause();
    stdin.off('data', onData).off('end', onStdinEnd).off('error', finish);
  };
  const finish = (): void => {
    stop();
    onEnd();
  };
  const splitter = new LineSplitter({
    onLine(buffer, start, end) {
      const line = buffer.toString('utf8', start, end);
      if (line.trim() !== '') onLine(line);
    },
    onLineTooLong: (head) => onLineTooLong(head.toString('utf8')),
    onGiveUp: finish,
  });
  const onData = (chunk: Buffer): void => splitter.push(chunk);
  const onStdinEnd = (): void => {
    splitter.end();
    finish();
  };
  // An error means that the terminal or the pipe is gone, so nothing more arrives.
  stdin.on('data', onData).once('end', onStdinEnd).once('error', finish);
  return {
    dispose() {
      stop();
      stdin.destroy();
    },
  };
}
