/** A wire over a socket. The only place that uses vscode-jsonrpc for it. */
import type { Socket } from 'node:net';
import {
  createMessageConnection,
  ErrorCodes,
  type Message,
  type MessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import * as z from 'zod/mini';
import { type ErrorReasons, HostError, systemFacts, toHostError } from '../base/errors.js';
import type { Event } from '../base/event.js';
import { readErrorData, type Told, type Wire, WireEnd, type WireHandler } from './wire.js';

const jsonrpc = z.literal('2.0');
const payload = z.optional(z.unknown());
const call = z.object({ method: z.string(), params: payload });
const told = z.object({ channel: z.string(), message: payload });
/** Results have a member, because JSON-RPC has no `undefined`. */
const answer = z.object({ value: payload });
const envelope: z.ZodMiniType<Message> = z.union([
  z.object({ jsonrpc, id: z.number(), method: z.literal('call'), params: call }),
  z.object({ jsonrpc, method: z.literal('tell'), params: told }),
  z.object({ jsonrpc, id: z.number(), result: answer }),
  z.object({ jsonrpc, id: z.number(), error: z.object({ code: z.number(), message: z.string(), data: payload }) }),
]);

/** @param socket paused, and after any greeting. The wire owns it. */
export function createSocketWire(socket: Socket): Wire {
  return new SocketWire(socket);
}

class SocketWire implements Wire {
  readonly #socket: Socket;
  readonly #connection: MessageConnection;
  readonly #end = new WireEnd();
  readonly #frames = new FrameCheck();
  /** Of the frames that arrived. The library delivers one message per task, so that the socket may close before. */
  #delivered = 0;
  #closing: HostError | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    let systemError: Error | undefined;
    socket.on('error', (error) => (systemError = error));
    socket.on('close', () => {
      this.#closing = lost('closed', systemError);
      this.#closeWhenDelivered();
    });
    // Before the library gets the same bytes.
    socket.on('data', (bytes) => {
      const fault = this.#frames.check(bytes);
      if (fault !== undefined) this.#close(lost(fault));
    });
    const contentTypeDecoder = {
      name: 'application/json',
      // The decoder of Buffer takes a tenth of the time of TextDecoder.
      decode: async ({ buffer, byteOffset, byteLength }: Uint8Array): Promise<Message> =>
        envelope.parse(JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString('utf8'))),
    };
    const reader = new StreamMessageReader(socket, { charset: 'utf-8', contentTypeDecoder });
    // Otherwise the library starts a timer over and over that nothing ends if the socket closes in the middle of a message.
    reader.partialMessageTimeout = 0;
    reader.onError((error) => {
      // The socket closes after its own errors.
      if (error !== systemError) this.#close(lost('bad_message'));
    });
    this.#connection = createMessageConnection(reader, new StreamMessageWriter(socket), undefined, {
      messageStrategy: {
        handleMessage: (message, deliver) => {
          const delivery: unknown = deliver(message);
          this.#delivered++;
          this.#closeWhenDelivered();
          return delivery instanceof Promise ? delivery.then(() => {}) : undefined;
        },
      },
    });
    this.#connection.onRequest('call', ({ method, params }: z.infer<typeof call>) => this.#answer(method, params));
    this.#connection.onNotification('tell', ({ channel, message }: z.infer<typeof told>) => this.#end.told.fire({ channel, message }));
    this.#connection.listen();
    socket.resume();
  }

  get onTold(): Event<Told> {
    return this.#end.told.event;
  }

  get onClosed(): Event<HostError> {
    return this.#end.closed.event;
  }

  call(method: string, params: unknown): Promise<unknown> {
    return this.#end.ask(async () => {
      try {
        const { value } = await this.#connection.sendRequest<z.infer<typeof answer>>('call', { method, params });
        return value;
      } catch (error) {
        throw this.#toCallError(error);
      }
    });
  }

  async tell(channel: string, message: unknown): Promise<void> {
    try {
      await this.#connection.sendNotification('tell', { channel, message });
    } catch {
      // The connection is closed, which `onClosed` reports, or the message is not JSON.
    }
  }

  serve(handler: WireHandler): void {
    this.#end.serve(handler);
  }

  dispose(): void {
    this.#close(lost('disposed'));
  }

  async #answer(method: string, params: unknown): Promise<z.infer<typeof answer>> {
    try {
      return { value: await this.#end.answer(method, params) };
    } catch (thrown) {
      const error = toHostError(thrown);
      throw new ResponseError(ErrorCodes.InternalError, error.message, error.toData());
    }
  }

  #toCallError(error: unknown): HostError {
    if (this.#socket.destroyed) return lost('closed', error);
    if (!(error instanceof ResponseError)) return toHostError(error);
    if (error.code === ErrorCodes.MessageWriteError) return new HostError('invalid_message', { reason: 'not_json' }, { cause: error });
    return readErrorData(error.data) ?? toHostError(error);
  }

  #closeWhenDelivered(): void {
    if (this.#closing !== undefined && this.#delivered >= this.#frames.complete) this.#close(this.#closing);
  }

  #close(end: HostError): void {
    if (this.#end.end !== undefined) return;
    this.#socket.destroy();
    this.#connection.dispose();
    this.#end.close(end);
  }
}

function lost(reason: ErrorReasons['engine_lost'], cause?: unknown): HostError {
  const facts = { ...(reason === 'too_large' && { limitBytes }), ...(cause !== undefined && systemFacts(cause)) };
  return new HostError('engine_lost', { reason, ...facts }, { cause });
}

/** Of one message. */
const limitBytes = 256 * 1024 * 1024;
/** The writer of vscode-jsonrpc writes no other header. */
const header = /^Content-Length: (\d{1,10})\r\n\r\n$/;
const longestHeader = 'Content-Length: 1234567890\r\n\r\n'.length;

/**
 * Follows the frames of vscode-jsonrpc, whose reader has no limit: it would wait for a message of any length, and search endless garbage
 * for a header again with each piece.
 */
class FrameCheck {
  #header = '';
  #missingBytes = 0;
  #complete = 0;

  /** The number of frames that arrived completely. */
  get complete(): number {
    return this.#complete;
  }

  /** @returns what is wrong; nothing is checked after that */
  check(bytes: Uint8Array): 'bad_message' | 'too_large' | undefined {
    for (let at = 0; at < bytes.length; ) {
      if (this.#missingBytes > 0) {
        const step = Math.min(this.#missingBytes, bytes.length - at);
        at += step;
        this.#missingBytes -= step;
        if (this.#missingBytes === 0) this.#complete++;
        continue;
      }
      this.#header += String.fromCharCode(bytes[at++] ?? 0);
      if (this.#header.length > longestHeader) return 'bad_message';
      if (!this.#header.endsWith('\n\r\n')) continue;
      const length = Number(header.exec(this.#header)?.[1] ?? 0);
      if (length === 0) return 'bad_message';
      if (length > limitBytes) return 'too_large';
      this.#header = '';
      this.#missingBytes = length;
    }
    return undefined;
  }
}
