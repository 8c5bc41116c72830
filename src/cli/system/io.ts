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

/** Whether a user can read a question and type an answer. */
export function isInteractive({ stdin, stderr }: Io): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
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

/** Reads UTF-8 to the end of the stream. */
export async function readAll(stream: NodeJS.ReadStream): Promise<string> {
  let text = '';
  stream.setEncoding('utf8');
  for await (const chunk of stream) text += String(chunk);
  return text;
}
