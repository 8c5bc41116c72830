import { randomInt } from 'node:crypto';
import { startDeadline, unlessAborted } from '../../base/deadline.js';
import { HostError, redactError, toHostError } from '../../base/errors.js';
import type { AgentWait } from '../../session/model.js';
import { noStats } from '../../traffic/trafficItem.js';
import type { WebSocketChannel } from '../../transport/webSocketChannel.js';
import type { ServerConnectOptions } from '../agentBackend.js';
import { waitForRoom } from '../agentInput.js';
import { DialectWatch, openServerChannel, orOtherProtocol, type ServerStats, untilAnswered, watchReading } from '../serverChannel.js';
import { type Command, parseQuestion, parseReply, type Question, type Reply, type Task } from './schema/messages.js';

const largestId = 2 ** 31;

export interface ServiceLineParts {
  readonly options: ServerConnectOptions;
  /** Called when the connection ended without having been closed; pending calls reject afterwards. */
  readonly onLost: (error: HostError) => void;
  /** Called when the service stops reading its input, or reads again. */
  readonly onWait: (wait: AgentWait | null) => void;
  readonly onQuestion: (question: Question) => Promise<object>;
}

interface Waiting {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: HostError) => void;
}

interface Connection {
  readonly channel: WebSocketChannel;
  readonly waiting: Map<string, Waiting>;
  /** The server has sent something on this connection, so it accepts the key. */
  isProven: boolean;
  readonly dialect: DialectWatch;
  isClosing: boolean;
}

/**
 * The only connection to the service, opened when it is needed. The service works on one task per connection at a time and cancels it for
 * the next one, so tasks wait here for their turn. The only way to cancel a task is to close the connection.
 */
export class ServiceLine {
  readonly stats: ServerStats = { ...noStats };
  firstNoise: string | undefined;
  readonly #parts: ServiceLineParts;
  #connection: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  #models: readonly string[] = [];
  /** Settles when the last task is over; undefined if there is none. */
  #busy: Promise<unknown> | undefined;
  /** Also ends a connection that is being opened. */
  readonly #closing = new AbortController();

  constructor(parts: ServiceLineParts) {
    this.#parts = parts;
  }

  /** The models that the service listed last. */
  get models(): readonly string[] {
    return this.#models;
  }

  /** @throws HostError `connect_failed`, `key_refused`, `request_timeout`, `request_failed`, `cancelled` */
  async connect(): Promise<void> {
    await this.#connected();
  }

  /**
   * Waits for its turn, and then for the answer without a deadline.
   * @param signal ends the task at once when it is aborted; if the task was already sent, this closes the connection, and the next task
   * opens a new one
   * @throws HostError `cancelled`, `request_failed`, `key_refused`, `agent_exited`, `unsupported`
   */
  run(task: Task, signal: AbortSignal): Promise<string> {
    const running = this.#busy === undefined ? this.#run(task, signal) : this.#busy.then(() => this.#run(task, signal));
    const over: Promise<unknown> = running
      .catch(() => {})
      .then(() => {
        if (this.#busy === over) this.#busy = undefined;
      });
    this.#busy = over;
    return unlessAborted(running, signal, cancelled);
  }

  close(): void {
    this.#closing.abort();
    this.#drop(stopped());
  }

  async #run(task: Task, signal: AbortSignal): Promise<string> {
    if (signal.aborted) throw cancelled();
    const connection = this.#connection ?? (await this.#reconnected());
    // Don't send a task that was canceled in the meantime.
    if (signal.aborted) throw cancelled();
    const cut = (): void => this.#drop(cancelled());
    signal.addEventListener('abort', cut);
    try {
      const reply = await this.#ask(connection, task);
      if ('error' in reply) throw this.#failure(reply.error);
      return 'text' in reply ? reply.text : '';
    } finally {
      signal.removeEventListener('abort', cut);
    }
  }

  /** A server that cannot be reached for the next task counts as lost. */
  async #reconnected(): Promise<Connection> {
    try {
      return await this.#connected();
    } catch (thrown) {
      const error = toHostError(thrown);
      if (error.code !== 'connect_failed') throw error;
      const lost = new HostError('agent_exited', { reason: 'connection_closed', because: error.toData() }, { cause: error });
      this.#parts.onLost(lost);
      throw lost;
    }
  }

  #connected(): Promise<Connection> {
    if (this.#closing.signal.aborted) return Promise.reject(stopped());
    if (this.#connection !== undefined) return Promise.resolve(this.#connection);
    this.#connecting ??= untilAnswered(this.#parts.options, () => this.#attempt())
      .catch((error: unknown) => {
        throw this.#closing.signal.aborted ? stopped() : error;
      })
      .finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  /** The answer to the first question shows that the service accepts the key. */
  async #attempt(): Promise<Connection> {
    const { options } = this.#parts;
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    const channel = await openServerChannel({ ...options, signal });
    const dialect = new DialectWatch(() => this.#end(connection, foreign()));
    const connection: Connection = { channel, dialect, waiting: new Map(), isProven: false, isClosing: false };
    watchReading(channel, this.#parts.onWait);
    channel.listen({
      onValue: (value) => this.#receive(connection, value),
      onLineTooLong: () => {
        this.stats.invalidMessages++;
        dialect.strange();
      },
      onNoise: () => {
        this.stats.noiseLines++;
        this.firstNoise ??= channel.firstNoise;
        dialect.strange();
      },
      onEnd: (error) => this.#ended(connection, error ?? new HostError('agent_exited', { reason: 'connection_closed' })),
    });
    const given = new HostError('cancelled', { reason: 'start' });
    const give = (): void => this.#end(connection, given);
    signal.addEventListener('abort', give);
    try {
      if (signal.aborted) throw given;
      const asked = this.#ask(connection, { cmd: 'list_model' }, options.deadlines.initializeMs);
      const reply = await orOtherProtocol(asked, channel, options);
      if ('error' in reply) throw this.#failure(reply.error);
      if (!('models' in reply)) throw foreign();
      this.#models = reply.models;
      this.#connection = connection;
      return connection;
    } catch (thrown) {
      const error = toHostError(thrown);
      this.#end(connection, error);
      throw error;
    } finally {
      signal.removeEventListener('abort', give);
    }
  }

  #ask(connection: Connection, command: Command, timeoutMs?: number): Promise<Reply> {
    const { channel, waiting } = connection;
    let id = randomInt(1, largestId);
    while (waiting.has(String(id))) id = randomInt(1, largestId);
    const late = (reject: Waiting['reject']): void => {
      this.stats.timeouts++;
      reject(new HostError('request_timeout', { method: command.cmd, timeoutMs }));
    };
    let stopDeadline = (): void => {};
    const answer = new Promise<Reply>((resolve, reject) => {
      waiting.set(String(id), { resolve, reject });
      if (timeoutMs !== undefined) stopDeadline = startDeadline(timeoutMs, () => late(reject));
      channel.send({ ...command, request_id: id }, (failure) => {
        // The end of the connection says more than that writing to it failed.
        if (failure !== undefined && failure.code !== 'agent_exited') reject(failure);
      });
    });
    return answer.finally(() => {
      stopDeadline();
      waiting.delete(String(id));
    });
  }

  #receive(connection: Connection, value: unknown): void {
    connection.isProven = true;
    waitForRoom(connection.channel, this.#parts.options.whenDrained, this.stats);
    const question = parseQuestion(value);
    if (question !== undefined) return void this.#answer(connection, question);
    const reply = parseReply(value);
    const waiting = reply && connection.waiting.get(reply.id);
    if (reply === undefined) this.stats.invalidMessages++;
    else if (waiting === undefined) this.stats.unknownResponses++;
    if (waiting === undefined || reply === undefined) return connection.dialect.strange();
    connection.dialect.understood();
    waiting.resolve(reply);
  }

  async #answer({ channel }: Connection, question: Question): Promise<void> {
    const answer = await this.#parts.onQuestion(question);
    channel.send(question.id === undefined ? answer : { request_id: question.id, ...answer }, () => {});
  }

  #ended(connection: Connection, error: HostError): void {
    const { redactor } = this.#parts.options;
    if (connection.isClosing) return;
    const isCurrent = connection === this.#connection;
    if (isCurrent) this.#connection = undefined;
    const told = redactError(connection.isProven ? error : error.with({ beforeAnswer: true }), redactor);
    if (isCurrent) this.#parts.onLost(told);
    this.#end(connection, told);
  }

  /** Redacts the service's own words, because providers quote the key that they reject. */
  #failure(words: string): HostError {
    return redactError(new HostError('request_failed', { detail: words }), this.#parts.options.redactor);
  }

  #drop(error: HostError): void {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection !== undefined) this.#end(connection, error);
  }

  #end(connection: Connection, error: HostError): void {
    connection.dialect.stop();
    if (!connection.isClosing) {
      connection.isClosing = true;
      connection.channel.end();
    }
    for (const { reject } of [...connection.waiting.values()]) reject(error);
  }
}

function foreign(): HostError {
  return new HostError('invalid_response', { reason: 'wrong_shape', method: 'list_model' });
}

function stopped(): HostError {
  return new HostError('agent_exited', { reason: 'stopped', requested: true });
}

function cancelled(): HostError {
  return new HostError('cancelled', { reason: 'request', method: 'task' });
}
