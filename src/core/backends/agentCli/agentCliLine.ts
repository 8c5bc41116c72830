import { startDeadline } from '../../base/deadline.js';
import { HostError, toHostError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { WebSocketChannel } from '../../transport/webSocketChannel.js';
import type { ServerConnectOptions } from '../agentBackend.js';
import { waitForRoom } from '../agentInput.js';
import { DialectWatch, type ServerStats } from '../serverChannel.js';
import { type Frame, type Input, parseFrame, type Request, type RequestConfig, unreadableId } from './schema/messages.js';

export interface LineParts {
  readonly channel: WebSocketChannel;
  readonly log: Logger;
  /** Of all connections of the backend. */
  readonly stats: ServerStats;
  /** Called when the server has sent something that is not JSON. */
  readonly onNoise: () => void;
  /** Called when the connection ended by itself; pending calls fail afterwards. */
  readonly onLost: (error: HostError) => void;
  /** Returns a promise while the consumer of the agent's output is full. */
  readonly whenDrained: ServerConnectOptions['whenDrained'] | undefined;
}

/** Receives the frames with one id. */
export interface Listener {
  receive(frame: Frame): void;
  /** Called if the connection ended, or if the message could not be sent. */
  fail(error: HostError): void;
}

export interface SendOptions {
  readonly config?: RequestConfig;
  readonly useTools?: boolean;
}

const idPrefix = 'acp-host-';

function idOf(number: number): string {
  return `${idPrefix}${number}`;
}

/** One connection: sends requests, and routes answers to their requests by id. */
export class AgentCliLine {
  readonly #parts: LineParts;
  readonly #listeners = new Map<string, Listener>();
  /** The number of requests so far, and of the last id. */
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
      onNoise: () => this.#noise(),
      onEnd: (error) => this.#ended(error ?? new HostError('agent_exited', { reason: 'connection_closed' })),
    });
  }

  /** Why the connection can no longer be used. */
  get error(): HostError | undefined {
    return this.#error;
  }

  get channel(): WebSocketChannel {
    return this.#parts.channel;
  }

  /**
   * @param listener receives everything with this id until `forget`
   * @param id the id of an earlier request to continue
   */
  send(input: Input, listener: Listener, { config, useTools = true }: SendOptions = {}, id = idOf(++this.#count)): string {
    this.#listeners.set(id, listener);
    const request: Request = { request_id: id, input, ...(config && { config }), stream: true, use_tools: useTools };
    this.#parts.channel.send(request, (failure) => {
      // The end of the connection says more than that writing to it failed.
      if (failure !== undefined && failure.code !== 'agent_exited') this.#listeners.get(id)?.fail(failure);
    });
    return id;
  }

  forget(id: string): void {
    this.#listeners.delete(id);
  }

  /**
   * @returns the first frame with content
   * @throws HostError `request_timeout`, `invalid_response`, `agent_exited`
   */
  ask(input: Input, method: string, timeoutMs: number): Promise<Frame> {
    return new Promise((resolve, reject) => {
      const stopDeadline = startDeadline(timeoutMs, () => {
        this.#parts.stats.timeouts++;
        settle(() => reject(new HostError('request_timeout', { method, timeoutMs })));
      });
      let id = '';
      const settle = (how: () => void): void => {
        stopDeadline();
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

  /** Closes the connection without calling `onLost`. */
  close(): void {
    this.#isClosing = true;
    const { channel } = this.#parts;
    channel.end();
    this.#fail(new HostError('agent_exited', { reason: 'stopped', requested: true }));
  }

  /** Closes a connection from which nothing useful can be expected. This counts as a loss, although the host closes it. */
  giveUp(error: HostError): void {
    this.#parts.channel.dispose();
    this.#ended(error);
  }

  #receive(value: unknown): void {
    const { stats } = this.#parts;
    const frame = parseFrame(value);
    // Every frame of this protocol contains a response. Once the protocol is confirmed, an error alone is enough.
    if (frame === undefined || (frame.parts.length === 0 && !this.#dialect.isUnderstood)) return this.#invalid();
    this.#dialect.understood();
    stats.leftOut += frame.parts.filter(({ type }) => type === 'unknown').length;
    // The server could not read a message and does not say which one, so no open request will get an answer.
    if (frame.id === unreadableId) for (const listener of [...this.#listeners.values()]) listener.receive(frame);
    else if (this.#listeners.has(frame.id)) this.#listeners.get(frame.id)?.receive(frame);
    else if (!this.#isPast(frame.id)) stats.unknownResponses++;
    waitForRoom(this.#parts.channel, this.#parts.whenDrained, stats);
  }

  /** Whether the id is that of a request that was already ended by other frames. */
  #isPast(id: string): boolean {
    const number = Number(id.slice(idPrefix.length));
    return Number.isInteger(number) && number >= 1 && number <= this.#count && id === idOf(number);
  }

  #invalid(): void {
    const { stats, log } = this.#parts;
    stats.invalidMessages++;
    log.warn('The server sent a message that is not part of its protocol');
    this.#dialect.strange();
  }

  #noise(): void {
    this.#parts.onNoise();
    this.#dialect.strange();
  }

  #ended(error: HostError): void {
    const told = this.#dialect.isUnderstood ? error : error.with({ beforeAnswer: true });
    if (!this.#isClosing) this.#fail(told, () => this.#parts.onLost(told));
  }

  /** @param tell is called before pending calls fail, because the owner knows what the end means */
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
