import { HostError, toHostError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { WebSocketChannel } from '../../transport/webSocketChannel.js';
import type { ServerConnectOptions } from '../agentBackend.js';
import { DialectWatch } from '../dialectWatch.js';
import { waitForRoom } from '../serverChannel.js';
import type { Input, Request, RequestConfig } from './schema/input.js';
import { type Frame, parseFrame, unreadableId } from './schema/response.js';

export interface LineParts {
  readonly channel: WebSocketChannel;
  readonly log: Logger;
  readonly stats: LineStats;
  /** It ended by itself; whoever waits for an answer is told afterwards. */
  readonly onLost: (error: HostError) => void;
  /** Where there is no room for more of what the agent says. */
  readonly whenDrained: ServerConnectOptions['whenDrained'] | undefined;
}

/** Of all connections of a backend. */
export interface LineStats {
  timeouts: number;
  invalidMessages: number;
  unknownResponses: number;
  leftOut: number;
  pauses: number;
}

/** Who waits for what comes under an id. */
export interface Listener {
  receive(frame: Frame): void;
  /** The connection is gone, or what was to be sent was not. */
  fail(error: HostError): void;
}

export interface SendOptions {
  readonly config?: RequestConfig;
  readonly useTools?: boolean;
}

/** One connection: requests out, and what comes in to those who wait for it, by the ids. */
export class AgentCliLine {
  readonly #parts: LineParts;
  readonly #listeners = new Map<string, Listener>();
  /** Nobody waits for what comes under these: they were ended by other frames. */
  readonly #past = new Set<string>();
  #count = 0;
  #error: HostError | undefined;
  #isClosing = false;
  readonly #dialect = new DialectWatch(() => {
    for (const listener of [...this.#listeners.values()]) listener.fail(foreign());
  });

  constructor(parts: LineParts) {
    this.#parts = parts;
    parts.channel.listen({
      onValue: (value) => this.#receive(value),
      onLineTooLong: () => this.#invalid(),
      onNoise: () => this.#dialect.strange(),
      onEnd: (error) => this.#ended(error ?? new HostError('agent_exited', { reason: 'connection_closed' })),
    });
  }

  /** Why it can't be used any more. */
  get error(): HostError | undefined {
    return this.#error;
  }

  get channel(): WebSocketChannel {
    return this.#parts.channel;
  }

  /** @param listener hears whatever comes under the id until it is forgotten @param id of an earlier request, to go on with that one */
  send(input: Input, listener: Listener, { config, useTools = true }: SendOptions = {}, id = `acp-host-${++this.#count}`): string {
    this.#listeners.set(id, listener);
    const request: Request = { request_id: id, input, ...(config && { config }), stream: true, use_tools: useTools };
    this.#parts.channel.send(request, (failure) => {
      // The end of the connection tells more than that nothing can be written to it.
      if (failure !== undefined && failure.code !== 'agent_exited') this.#listeners.get(id)?.fail(failure);
    });
    return id;
  }

  forget(id: string): void {
    if (this.#listeners.delete(id)) this.#past.add(id);
  }

  /** @returns the first frame that says something @throws HostError `request_timeout`, `invalid_response`, `agent_exited` */
  ask(input: Input, method: string, timeoutMs: number): Promise<Frame> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#parts.stats.timeouts++;
        settle(() => reject(new HostError('request_timeout', { method, timeoutMs })));
      }, timeoutMs);
      let id = '';
      const settle = (how: () => void): void => {
        clearTimeout(timer);
        this.forget(id);
        how();
      };
      const listener: Listener = {
        receive: (frame) => settle(() => resolve(frame)),
        fail: (error) => settle(() => reject(error)),
      };
      if (this.#error !== undefined) settle(() => reject(toHostError(this.#error)));
      else id = this.send(input, listener);
    });
  }

  /** Our own end: nobody is told. */
  close(): void {
    this.#isClosing = true;
    const { channel } = this.#parts;
    channel.end();
    this.#fail(new HostError('agent_exited', { reason: 'stopped', requested: true }));
  }

  /** Nothing more is expected of the server on this connection: a loss, though it is our own end. */
  giveUp(error: HostError): void {
    this.#parts.channel.dispose();
    this.#ended(error);
  }

  #receive(value: unknown): void {
    const { stats } = this.#parts;
    const frame = parseFrame(value);
    // Whatever this protocol says holds a response; once it is known to be spoken, an error alone does, too.
    if (frame === undefined || (frame.parts.length === 0 && !this.#dialect.isUnderstood)) return this.#invalid();
    this.#dialect.understood();
    stats.leftOut += frame.parts.filter(({ type }) => type === 'unknown').length;
    // It could not read what we sent, and does not say what: nobody will be answered.
    if (frame.id === unreadableId) for (const listener of [...this.#listeners.values()]) listener.receive(frame);
    else if (this.#listeners.has(frame.id)) this.#listeners.get(frame.id)?.receive(frame);
    else if (!this.#past.has(frame.id)) stats.unknownResponses++;
    waitForRoom(this.#parts.channel, this.#parts.whenDrained, stats);
  }

  #invalid(): void {
    const { stats, log } = this.#parts;
    stats.invalidMessages++;
    log.warn('The server sent a message that is none of its protocol');
    this.#dialect.strange();
  }

  #ended(error: HostError): void {
    const told = this.#dialect.isUnderstood ? error : error.with({ beforeAnswer: true });
    if (!this.#isClosing) this.#fail(told, () => this.#parts.onLost(told));
  }

  /** @param tell who knows what the end means hears of it before those who wait for an answer */
  #fail(error: HostError, tell = (): void => {}): void {
    if (this.#error !== undefined) return;
    this.#error = error;
    this.#dialect.stop();
    tell();
    for (const [id, listener] of [...this.#listeners]) {
      this.#listeners.delete(id);
      listener.fail(error);
    }
  }
}

function foreign(): HostError {
  return new HostError('invalid_response', { reason: 'wrong_shape', method: 'GetCommands' });
}
