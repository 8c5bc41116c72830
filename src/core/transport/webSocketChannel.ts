/** Reads and writes JSON values as messages of a WebSocket. The channel owns the connection: `dispose` ends it. */
import type { Socket } from 'node:net';
import type WebSocket from 'ws';
import type { Clock } from '../base/clock.js';
import { HostError, systemFacts } from '../base/errors.js';
import { Emitter, type Event } from '../base/event.js';
import type { Logger } from '../base/logger.js';
import { parseJson } from '../base/parseJson.js';
import type { TrafficEntry } from '../traffic/trafficEntry.js';
import { isWithin, maxLevels } from './jsonDepth.js';
import { type ChannelSink, type MessageChannel, TrafficTap } from './messageChannel.js';
import type { WriteStall, Written } from './writeQueue.js';

/** The limit for one message, in either direction. */
export const messageLimitBytes = 32 * 1024 * 1024;
/** The limit for data that waits in memory for a server that does not read. */
const waitingLimitBytes = 64 * 1024 * 1024;
/** Users only need to see the beginning of a noise message. */
const noiseChars = 2_048;

export interface WebSocketChannelOptions {
  readonly log: Logger;
  readonly clock: Clock;
  /** The interval of pings. A server without a sign of life between two pings counts as lost. */
  readonly pingMs?: number;
  /** The server counts as stalled when it has not read for this long. */
  readonly stallMs?: number;
  /** How long the server may take to confirm that the connection is closed. */
  readonly closeMs?: number;
}

type Life = 'waiting' | 'open' | 'ended';

export class WebSocketChannel implements MessageChannel {
  readonly #socket: WebSocket;
  readonly #options: WebSocketChannelOptions;
  readonly #stallMs: number;
  readonly #tap: TrafficTap;
  readonly #stalled = new Emitter<WriteStall>();
  readonly #relieved = new Emitter<void>();
  #noise = 0;
  #firstNoise: string | undefined;
  #sink: ChannelSink | undefined;
  #life: Life = 'waiting';
  #failure: HostError | undefined;
  #isPaused = false;
  /** The server has shown a sign of life since the last ping. */
  #isAlive = true;
  readonly #pulse: NodeJS.Timeout;
  #stallTimer: NodeJS.Timeout | undefined;
  #isStalled = false;
  #closeTimer: NodeJS.Timeout | undefined;

  /** @param socket open, over `connection`; nothing is read from it before `listen` */
  constructor(socket: WebSocket, connection: Socket, options: WebSocketChannelOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#tap = new TrafficTap(options.clock);
    this.#stallMs = options.stallMs ?? 5_000;
    socket.pause();
    socket.on('message', (data, isBinary) => this.#message(data, isBinary));
    socket.on('pong', () => (this.#isAlive = true));
    socket.on('ping', () => (this.#isAlive = true));
    // A server that breaks the protocol may never close the connection.
    socket.on('error', (error) => {
      this.#end(this.#failure ?? toFailure(error));
      socket.terminate();
    });
    connection.on('error', (error) => {
      if (isReset(error)) this.#failure ??= new HostError('agent_exited', { reason: 'connection_closed', isReset: true }, { cause: error });
    });
    socket.on('close', (code, reason) => this.#end(this.#failure ?? closed(code, reason.toString('utf8'))));
    this.#pulse = setInterval(() => this.#beat(), options.pingMs ?? 20_000).unref();
  }

  readonly onStalled: Event<WriteStall> = this.#stalled.event;
  readonly onRelieved: Event<void> = this.#relieved.event;

  get onTraffic(): Event<TrafficEntry> {
    return this.#tap.onTraffic;
  }

  get noiseLines(): number {
    return this.#noise;
  }

  get firstNoise(): string | undefined {
    return this.#firstNoise;
  }

  /** Servers send whole messages. */
  get unfinished(): undefined {
    return undefined;
  }

  listen(sink: ChannelSink): void {
    if (this.#sink !== undefined) throw new HostError('internal', { reason: 'channel_read_twice' });
    this.#sink = sink;
    // The socket may have closed since it was opened.
    if (this.#life === 'ended') return sink.onEnd(this.#failure);
    this.#life = 'open';
    this.#socket.resume();
  }

  send(message: object, sent: Written): void {
    let text: string;
    try {
      text = JSON.stringify(message);
    } catch (error) {
      return sent(new HostError('invalid_message', { reason: 'not_json' }, { cause: error }));
    }
    const bytes = Buffer.byteLength(text);
    if (bytes > messageLimitBytes)
      return sent(new HostError('unsupported', { reason: 'message_size', bytes, limitBytes: messageLimitBytes }));
    if (this.#life === 'ended') return sent(this.#failure ?? closed(1000, ''));
    if (this.#socket.bufferedAmount + bytes > waitingLimitBytes) return sent(new HostError('queue_full'));
    this.#tap.message('sent', message, bytes);
    this.#socket.send(text, (error) => {
      this.#written();
      if (error == null) sent();
      else sent(new HostError('agent_exited', { reason: 'write_failed', ...systemFacts(error) }, { cause: error }));
    });
    this.#watchWrites();
  }

  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#isAlive = true;
    this.#socket.resume();
  }

  end(): void {
    // A paused socket would never receive the server's close frame.
    this.resume();
    this.#socket.close(1000);
    this.#closeTimer ??= setTimeout(() => this.#socket.terminate(), this.#options.closeMs ?? 2_000).unref();
  }

  dispose(): void {
    this.#finish();
    this.#socket.terminate();
    for (const owned of [this.#tap, this.#stalled, this.#relieved]) owned.dispose();
  }

  #message(data: WebSocket.RawData, isBinary: boolean): void {
    this.#isAlive = true;
    if (this.#life === 'ended') return;
    // Some servers send their text as binary messages.
    const text = asText(data);
    const bytes = Buffer.byteLength(text);
    const value = parseJson(text);
    if (value === undefined) return this.#noiseCame(text, bytes, isBinary);
    if (bytes > 2 * maxLevels && !isWithin(value, maxLevels)) return this.#sink?.onLineTooLong(text.slice(0, noiseChars));
    this.#tap.message('received', value, bytes);
    this.#sink?.onValue(value, bytes);
  }

  #noiseCame(text: string, bytes: number, isBinary: boolean): void {
    const head = text.slice(0, noiseChars);
    this.#noise++;
    this.#firstNoise ??= head;
    this.#options.log.warn('The server sent a message that is not JSON', { bytes, isBinary });
    this.#tap.noise(head, bytes);
    this.#sink?.onNoise?.();
  }

  #beat(): void {
    // Signs of life cannot be seen while reading is paused.
    if (this.#isPaused || this.#life !== 'open') return;
    if (!this.#isAlive) {
      // After the process was stopped, the timer fires before the data that arrived has been read, so read that first.
      setImmediate(() => this.#giveUp());
      return;
    }
    this.#isAlive = false;
    this.#socket.ping();
  }

  #giveUp(): void {
    if (this.#isAlive || this.#isPaused || this.#life !== 'open') return;
    this.#failure ??= new HostError('agent_exited', { reason: 'connection_silent' });
    this.#socket.terminate();
  }

  #watchWrites(): void {
    if (this.#stallTimer !== undefined || this.#socket.bufferedAmount === 0) return;
    this.#stallTimer = setInterval(() => {
      this.#isStalled = true;
      this.#stalled.fire({ pendingBytes: this.#socket.bufferedAmount });
    }, this.#stallMs).unref();
  }

  #written(): void {
    clearInterval(this.#stallTimer);
    this.#stallTimer = undefined;
    if (this.#socket.bufferedAmount > 0) this.#watchWrites();
    else if (this.#isStalled) {
      this.#isStalled = false;
      this.#relieved.fire();
    }
  }

  #end(error: HostError | undefined): void {
    if (this.#life === 'ended') return;
    this.#failure = error;
    this.#finish();
    this.#sink?.onEnd(error);
  }

  #finish(): void {
    this.#life = 'ended';
    clearInterval(this.#pulse);
    clearInterval(this.#stallTimer);
    clearTimeout(this.#closeTimer);
  }
}

function asText(data: WebSocket.RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return (data instanceof ArrayBuffer ? Buffer.from(data) : data).toString('utf8');
}

/** @param closeCode 1006 if the connection closed without a reason */
function closed(closeCode: number, detail: string): HostError {
  return new HostError('agent_exited', { reason: 'connection_closed', closeCode, ...(detail === '' ? {} : { detail }) });
}

/** Whether the other side ended the connection abruptly, which says nothing about why. */
export function isReset(error: Error): boolean {
  // Node has the same code for an orderly end that comes too early, which is no error of the operating system.
  return 'syscall' in error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

function toFailure(error: Error): HostError {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH')
    return new HostError('agent_exited', { reason: 'message_too_large', limitBytes: messageLimitBytes }, { cause: error });
  return new HostError('agent_exited', { reason: 'bad_frame', detail: error.message }, { cause: error });
}
