/** Standard input and output as a stream of messages. */
import { Readable } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
import { type AnyMessage, ndJsonStream, type Stream } from '@agentclientprotocol/sdk';
import { wellFormedJson } from '../core/index.js';

export interface StdioStream {
  /** The stream does not end when the client sends nothing more, because it may still read. */
  readonly stream: Stream;
  /** Resolves when the client has closed stdin and all of its messages were read. */
  readonly inputEnded: Promise<void>;
  /** Resolves when everything sent so far was written, or when the reader is gone. */
  drained(): Promise<void>;
}

/** The SDK reads and answers as fast as messages arrive. A client that doesn't read its answers is not read either, so that the answers stay few. */
export function stdioStream(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream): StdioStream {
  const answers = new OpenAnswers();
  const writes = new Set<Promise<void>>();
  const output = new WritableStream<Uint8Array>({
    async write(chunk) {
      if (stdout.destroyed || stdout.write(withWholeCharacters(chunk))) return;
      const write = untilDrained(stdout);
      writes.add(write);
      await write;
      writes.delete(write);
    },
  });
  let onEnd = (): void => {};
  const inputEnded = new Promise<void>((resolve) => (onEnd = resolve));
  const held = new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, controller) {
      controller.enqueue(chunk);
      // Its messages are counted by then.
      await nextTick();
      await answers.whenFew();
    },
  });
  const { readable, writable } = ndJsonStream(output, Readable.toWeb(stdin).pipeThrough(held));
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    start(controller) {
      // Without a reader, nothing can be answered, so the connection has ended. Node may report it only after a write.
      const end = (): void => controller.terminate();
      stdout.once('close', end).once('error', end);
    },
    transform(message, controller) {
      answers.received(message);
      controller.enqueue(message);
    },
    async flush() {
      // The last message is still on its way to its handler.
      await nextTick();
      onEnd();
      await new Promise(() => {});
    },
  });
  const writer = writable.getWriter();
  const outgoing = new WritableStream<AnyMessage>({
    async write(message) {
      await writer.write(message);
      answers.sent(message);
    },
  });
  return {
    stream: { readable: readable.pipeThrough(incoming), writable: outgoing },
    inputEnded,
    async drained() {
      // The SDK writes one message after another, each in a task of its own.
      do {
        await Promise.all(writes);
        await nextTick();
      } while (writes.size > 0);
    },
  };
}

/** Resolves when the stream takes more, or takes nothing any more. */
export function untilDrained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done).off('error', done);
      resolve();
    };
    stream.on('drain', done).on('close', done).on('error', done);
  });
}

/** The SDK writes half a character as an escape, which not every client can read. */
function withWholeCharacters(chunk: Uint8Array): Uint8Array {
  const json = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return json.includes('\\ud') ? Buffer.from(wellFormedJson(json.toString('utf8'))) : chunk;
}

/** No editor waits for so many answers at once. */
const limit = 256;

/** Counts the answers that the client has yet to receive. */
class OpenAnswers {
  #count = 0;
  #onFew = (): void => {};
  #few: Promise<void> = Promise.resolve();

  received(message: AnyMessage): void {
    if (!isAnswered(message)) return;
    this.#count++;
    if (this.#count === limit + 1) this.#few = new Promise((resolve) => (this.#onFew = resolve));
  }

  sent(message: AnyMessage): void {
    if ('method' in message || this.#count === 0) return;
    this.#count--;
    if (this.#count === limit) this.#onFew();
  }

  /** Resolves while there are few. */
  whenFew(): Promise<void> {
    return this.#few;
  }
}

/** The SDK answers each request, and everything that is not a message. */
function isAnswered(message: object): boolean {
  if ('method' in message)
    return 'id' in message || typeof message.method !== 'string' || !('jsonrpc' in message && message.jsonrpc === '2.0');
  return !('id' in message || 'result' in message || 'error' in message);
}
