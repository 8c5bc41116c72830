/** A wire over a socket: JSON-RPC, one message per line. */
import type { Socket } from 'node:net';
import * as z from 'zod/mini';
import { type ErrorReasons, HostError, systemFacts, toHostError } from '../base/errors.js';
import type { Event } from '../base/event.js';
import { parseJson } from '../base/parseJson.js';
import { readErrorData, type Told, type Wire, WireEnd, type WireHandler } from './wire.js';

const jsonrpc = z.literal('2.0');
const payload = z.optional(z.unknown());
const schema = z.union([
  z.object({ jsonrpc, id: z.number(), method: z.literal('call'), params: z.object({ method: z.string(), params: payload }) }),
  z.object({ jsonrpc, method: z.literal('tell'), params: z.object({ channel: z.string(), message: payload }) }),
  // A result has a member, because JSON has no `undefined`.
  z.object({ jsonrpc, id: z.number(), result: z.object({ value: payload }) }),
  z.object({ jsonrpc, id: z.number(), error: z.object({ code: z.number(), message: z.string(), data: payload }) }),
]);
type Message = z.infer<typeof schema>;

/** JSON-RPC has no code for errors of an application. The data has ours. */
const internalError = -32_603;
const lineEnd = 0x0a;
/** Of one message. */
const longestBytes = 256 * 1024 * 1024;

/** @param socket paused, and after any greeting. The wire owns it. @param limitBytes a longer message closes it */
export function createSocketWire(socket: Socket, limitBytes = longestBytes): Wire {
  return new SocketWire(socket, limitBytes);
}

interface Asked {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: HostError) => void;
}

class SocketWire implements Wire {
  readonly #socket: Socket;
  readonly #limitBytes: number;
  readonly #end = new WireEnd();
  /** By their ids, the calls that have no answer yet. */
  readonly #asked = new Map<number, Asked>();
  #calls = 0;
  /** What arrived of a line without its end. */
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(socket: Socket, limitBytes: number) {
    this.#socket = socket;
    this.#limitBytes = limitBytes;
    let systemError: Error | undefined;
    socket.on('error', (error) => (systemError = error));
    socket.on('close', () => this.#close(lost('closed', systemError)));
    socket.on('data', (bytes) => this.#read(bytes));
    socket.resume();
  }

  get onTold(): Event<Told> {
    return this.#end.told.event;
  }

  get onClosed(): Event<HostError> {
    return this.#end.closed.event;
  }

  call(method: string, params: unknown): Promise<unknown> {
    return this.#end.ask(
      () =>
        new Promise((resolve, reject) => {
          const id = this.#calls++;
          try {
            void this.#write({ jsonrpc: '2.0', id, method: 'call', params: { method, params } });
            this.#asked.set(id, { resolve, reject });
          } catch (cause) {
            reject(new HostError('invalid_message', { reason: 'not_json' }, { cause }));
          }
        }),
    );
  }

  async tell(channel: string, message: unknown): Promise<void> {
    try {
      await this.#write({ jsonrpc: '2.0', method: 'tell', params: { channel, message } });
    } catch {
      // The message is not JSON.
    }
  }

  serve(handler: WireHandler): void {
    this.#end.serve(handler);
  }

  dispose(): void {
    this.#close(lost('disposed'));
  }

  /** Resolves when the system has the message, or the socket is closed. @throws at once if it is not JSON */
  #write(message: Message): Promise<void> {
    const line = `${JSON.stringify(message)}\n`;
    return new Promise((resolve) => this.#socket.write(line, () => resolve()));
  }

  #read(bytes: Buffer): void {
    for (let at = 0; this.#end.end === undefined; ) {
      const end = bytes.indexOf(lineEnd, at);
      const piece = bytes.subarray(at, end < 0 ? bytes.length : end);
      this.#pieces.push(piece);
      this.#bytes += piece.length;
      if (this.#bytes > this.#limitBytes) return this.#close(lost('too_large', undefined, this.#limitBytes));
      if (end < 0) return;
      at = end + 1;
      const line = Buffer.concat(this.#pieces).toString('utf8');
      this.#pieces = [];
      this.#bytes = 0;
      const parsed = schema.safeParse(parseJson(line));
      if (parsed.success) this.#receive(parsed.data);
      else this.#close(lost('bad_message'));
    }
  }

  #receive(message: Message): void {
    if ('params' in message) {
      if (message.method === 'tell') this.#end.told.fire({ message: undefined, ...message.params });
      else void this.#answer(message);
      return;
    }
    const asked = this.#asked.get(message.id);
    this.#asked.delete(message.id);
    if ('result' in message) asked?.resolve(message.result.value);
    else asked?.reject(readErrorData(message.error.data) ?? toHostError(new Error(message.error.message)));
  }

  async #answer({ id, params: { method, params } }: Extract<Message, { method: 'call' }>): Promise<void> {
    try {
      const value = await this.#end.answer(method, params);
      void this.#write({ jsonrpc: '2.0', id, result: { value } });
    } catch (thrown) {
      const error = toHostError(thrown);
      void this.#write({ jsonrpc: '2.0', id, error: { code: internalError, message: error.message, data: error.toData() } });
    }
  }

  #close(end: HostError): void {
    if (this.#end.end !== undefined) return;
    this.#socket.destroy();
    this.#end.close(end);
  }
}

function lost(reason: ErrorReasons['engine_lost'], cause?: unknown, limitBytes?: number): HostError {
  const facts = { ...(limitBytes !== undefined && { limitBytes }), ...(cause !== undefined && systemFacts(cause)) };
  return new HostError('engine_lost', { reason, ...facts }, { cause });
}
