/** A client on standard input and output: a stream of messages, made fit for the SDK. */
import { Readable } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
import { type AnyMessage, type JsonRpcId, methods, ndJsonStream, type Stream } from '@agentclientprotocol/sdk';
import { type Logger, wellFormedJson } from '../core/index.js';

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

/** These need the list of MCP servers, which some clients leave out. The SDK refuses the requests then. */
const opening: ReadonlySet<string> = new Set([methods.agent.session.new, methods.agent.session.load]);

/**
 * Makes the messages of a client fit for the SDK. Responses to requests that were not sent are dropped, and the first one is logged: the SDK
 * would write each of them to the console, which it offers no way to redirect.
 * @param onInitialize gets the params of `initialize`, of which the SDK drops what it does not know
 */
export function clientStream({ readable, writable }: Stream, log: Logger, onInitialize: (params: unknown) => void): Stream {
  const open = new Set<JsonRpcId>();
  let isLogged = false;
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    async transform(message, controller) {
      if (isResponse(message) && !('id' in message && open.delete(message.id))) {
        const level = isLogged ? 'debug' : 'warn';
        log[level]('The client answered a request that was not sent; further ones are logged at the debug level');
        isLogged = true;
        return;
      }
      if ('method' in message && message.method === methods.agent.initialize) onInitialize(message.params);
      controller.enqueue('method' in message && opening.has(message.method) ? { ...message, params: completed(message.params) } : message);
      // The SDK offers a message to one handler after another, so a later message would overtake it if its handler comes first: a prompt would
      // begin in the mode before the one that the client has just set. This runs after all promise callbacks.
      await new Promise<void>((resolve) => process.nextTick(resolve));
    },
  });
  const writer = writable.getWriter();
  const outgoing = new WritableStream<AnyMessage>({
    write(message) {
      if ('method' in message && 'id' in message) open.add(message.id);
      return writer.write(message);
    },
    close: () => writer.close(),
    abort: (reason) => writer.abort(reason),
  });
  return { readable: readable.pipeThrough(incoming), writable: outgoing };
}

function completed(params: unknown): unknown {
  return typeof params === 'object' && params !== null && !('mcpServers' in params) ? { ...params, mcpServers: [] } : params;
}

/** Returns true also for a response without an id. */
function isResponse(message: object): boolean {
  return !('method' in message) && ('id' in message || 'result' in message || 'error' in message);
}
