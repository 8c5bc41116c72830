import { type CancellationToken, CancellationTokenSource, type Message, ParameterStructures } from 'vscode-jsonrpc/node';
import { startDeadline } from '../base/deadline.js';
import { HostError, unsent } from '../base/errors.js';
import { Emitter, type Event } from '../base/event.js';
import { exactId, nullId } from '../base/exactId.js';
import { type Logger, nullLogger } from '../base/logger.js';
import type { MessageChannel } from '../transport/messageChannel.js';
import { toRequestError, toResponseError, toShapeError } from './failureReason.js';
import { connectJsonRpc, type JsonRpcAdapter } from './jsonRpcAdapter.js';
import {
  CANCEL_REQUEST,
  flawOf,
  isId,
  isMessage,
  isNotification,
  isRequest,
  isResponse,
  namedParams,
  readWireError,
  responseIdInHead,
  unreadRequest,
  type WireNotification,
  type WireRequest,
  type WireResponse,
} from './message.js';
import {
  ErrorCode,
  type MethodSpec,
  type PeerHandlers,
  type PeerMisfit,
  type PeerStats,
  type RequestOptions,
  RpcError,
  type RpcPeer,
} from './peer.js';
import { ReadGate } from './readGate.js';

/** Sent instead of a result that cannot be written as JSON. */
const unsendable = new RpcError(ErrorCode.internalError, 'The host created a result that cannot be sent.');

export interface RpcPeerOptions {
  readonly log?: Logger;
  /** The number of notifications whose handler returned a promise that has not settled. When it is reached, reading stops. */
  readonly backlogLimit?: number;
  /** The same limit for their length on the wire. */
  readonly backlogLimitBytes?: number;
}

/** What the library awaits for each message. A failure to send the message is reported elsewhere. */
const accepted = Promise.resolve();

/** Creates a peer that uses JSON-RPC over a channel. The owner of the channel keeps it and ends it. */
export function createRpcPeer(channel: MessageChannel, handlers: PeerHandlers, options: RpcPeerOptions = {}): RpcPeer {
  return new RpcConnection(channel, handlers, options);
}

/**
 * Closes the gaps of vscode-jsonrpc. Notifications are dispatched synchronously and never enter the library: it takes one message per
 * `setImmediate` from its queue, so that an answer would wait for every update that was read before it (36 ms instead of 1 ms during a
 * flood). The ReadGate nevertheless keeps everything in wire order.
 */
class RpcConnection implements RpcPeer {
  readonly #channel: MessageChannel;
  readonly #handlers: PeerHandlers;
  readonly #log: Logger;
  readonly #library: JsonRpcAdapter;
  readonly #gate: ReadGate;
  readonly #misfits: Misfits;
  readonly #onClose = new Emitter<HostError>();
  /** The host's unanswered requests, with their methods. */
  readonly #outgoing = new Map<string | number, string>();
  readonly #incoming = new Map<string | number, AbortController>();
  /**
   * The library does not pass the id to its handlers, so it is noted when the request is delivered. The gate holds the next request back
   * until then.
   */
  #receivedId: string | number = -1;
  /** The library does not pass the id to its callers either: the id of the request that was written last. */
  #sentId: string | number = -1;
  #ended: HostError | undefined;
  #timeouts = 0;

  constructor(channel: MessageChannel, handlers: PeerHandlers, options: RpcPeerOptions) {
    this.#channel = channel;
    this.#handlers = handlers;
    this.#log = options.log ?? nullLogger;
    this.#misfits = new Misfits(this.#log);
    this.#gate = new ReadGate({
      channel,
      dispatch: (value, bytes) => this.#dispatch(value, bytes),
      backlogLimit: options.backlogLimit ?? 1000,
      backlogLimitBytes: options.backlogLimitBytes ?? 1024 * 1024,
    });
    this.#library = connectJsonRpc({
      write: (message) => this.#write(message),
      answer: (method, params, token) => this.#answer(method, params, token),
      log: (message) => this.#log.debug(message),
    });
  }

  get onClose(): Event<HostError> {
    return this.#onClose.event;
  }

  get stats(): PeerStats {
    return {
      noiseLines: this.#channel.noiseLines,
      invalidMessages: this.#misfits.invalid,
      unknownResponses: this.#misfits.foreign,
      timeouts: this.#timeouts,
      pendingRequests: this.#outgoing.size,
      backlog: this.#gate.backlog,
      pauses: this.#gate.pauses,
    };
  }

  get firstMisfit(): PeerMisfit | undefined {
    return this.#misfits.first;
  }

  listen(): void {
    this.#channel.listen({
      isMessage,
      onValue: (value, bytes) => this.#gate.receive(value, bytes),
      onLineTooLong: (head) => this.#onLineTooLong(head),
      onEnd: (error) => this.#gate.end(() => this.#end(error ?? new HostError('agent_exited', { reason: 'output_closed' }))),
    });
  }

  request<P, R>(spec: MethodSpec<P, R>, params: P, options: RequestOptions<R> = {}): Promise<R> {
    const { method } = spec;
    if (this.#ended !== undefined) return Promise.reject(unsent(this.#ended));
    if (options.signal === undefined && options.timeoutMs === undefined) return this.#call(spec, params, options);
    if (options.signal?.aborted) return Promise.reject(new HostError('cancelled', { reason: 'request', method }));
    const cancellation = new CancellationTokenSource();
    const answer = this.#call(spec, params, options, cancellation.token);
    return withTimeout(answer, method, options, (reason) => {
      if (reason.code === 'request_timeout') this.#timeouts++;
      options.onGiveUp?.(answer);
      if (this.#ended === undefined) cancellation.cancel();
    });
  }

  async notify(method: string, params: object): Promise<void> {
    if (this.#ended !== undefined) throw this.#ended;
    await this.#library.connection.sendNotification(method, ParameterStructures.byName, params);
  }

  dispose(): void {
    this.#onClose.dispose();
    this.#end(new HostError('disposed', { reason: 'connection' }));
  }

  #call<P, R>({ method, parseResult }: MethodSpec<P, R>, params: P, { onId }: RequestOptions<R>, token?: CancellationToken): Promise<R> {
    const named = params ?? {};
    const answer: Promise<unknown> =
      token === undefined
        ? this.#library.connection.sendRequest(method, ParameterStructures.byName, named)
        : this.#library.connection.sendRequest(method, ParameterStructures.byName, named, token);
    onId?.(this.#sentId);
    return answer.then(
      (result) => {
        try {
          return parseResult(result ?? {});
        } catch (error) {
          throw toShapeError(method, error);
        }
      },
      (error: unknown) => {
        throw toRequestError(method, error);
      },
    );
  }

  /** Gets everything that the library sends, synchronously with the call that caused it. */
  #write(message: Message): Promise<void> {
    if (isRequest(message)) {
      const { id, method } = message;
      this.#outgoing.set(id, method);
      this.#sentId = id;
      this.#channel.send(message, (failure) => {
        if (failure !== undefined) this.#fail(id, failure);
      });
      return accepted;
    }
    if (isResponse(message)) {
      this.#writeResponse(message);
      return accepted;
    }
    return new Promise((resolve, reject) =>
      this.#channel.send(message, (failure) => (failure === undefined ? resolve() : reject(failure))),
    );
  }

  #writeResponse(message: WireResponse & Message): void {
    const { id } = message;
    this.#channel.send(message, (failure) => {
      if (failure === undefined) return;
      this.#log.warn('Could not send a response to the agent', { id, code: failure.code });
      if (failure.code !== 'invalid_message') return;
      this.#writeResponse({
        id,
        jsonrpc: '2.0',
        error: { code: unsendable.code, message: unsendable.message },
      });
    });
  }

  #dispatch(value: unknown, bytes: number): void {
    if (isNotification(value)) this.#receiveNotification(value, bytes);
    else if (isResponse(value)) this.#receiveResponse(value);
    else if (isRequest(value)) this.#receiveRequest(value);
    else this.#receiveOther(value);
  }

  /** An answer without an id can only be matched if it is clear which request is meant. */
  #receiveOther(value: unknown): void {
    const error = unreadRequest(value);
    const [id, another] = [...this.#outgoing.keys()];
    if (error === undefined || id === undefined || another !== undefined) this.#misfits.noMessage(value);
    else this.#settle({ jsonrpc: '2.0', id, error: readWireError(error) });
  }

  #receiveNotification(message: WireNotification, bytes: number): void {
    const params = namedParams(message.params);
    if (params === undefined) return this.#misfits.refuse('params are not an object', message);
    if (message.method === CANCEL_REQUEST) return this.#receiveCancel(params);
    if (message.id === null && this.#handlers.isRequest?.(message.method) === true) return this.#receiveRequest({ ...message, id: nullId });
    try {
      const handling = this.#handlers.onNotification(message.method, params);
      if (handling !== undefined) this.#gate.whileHandling(handling, bytes).catch((error: unknown) => this.#failed(message.method, error));
    } catch (error) {
      this.#failed(message.method, error);
    }
  }

  #failed(method: string, error: unknown): void {
    this.#log.error(`Handling ${method} failed`, error);
  }

  /** Ignores a cancellation of a request that is not open, because the library would remember it forever. */
  #receiveCancel(params: object): void {
    const named: unknown = 'requestId' in params ? params.requestId : undefined;
    const id = typeof named === 'object' ? named : exactId(named);
    if (!isId(id)) this.#misfits.refuse('the cancellation names no request', params);
    else if (this.#incoming.has(id)) this.#library.cancel(id);
    else this.#log.debug('The agent canceled a request that is not pending', { id });
  }

  #receiveResponse(message: WireResponse): void {
    const { id, result, error } = message;
    const method = this.#outgoing.get(id);
    if (method === undefined) this.#misfits.foreignId(message, this.#outgoing.keys());
    else if (error !== undefined && error !== null) this.#settle({ jsonrpc: '2.0', id, error: readWireError(error) });
    else if (result !== undefined) this.#settle({ jsonrpc: '2.0', id, result });
    else {
      this.#misfits.invalid++;
      this.#fail(id, new HostError('invalid_response', { reason: 'no_result', method }));
    }
  }

  /** Ends the wait for an answer in the library, which then forgets the request. */
  #settle(response: WireResponse & Message): void {
    this.#outgoing.delete(response.id);
    this.#library.deliver(response);
    this.#gate.raise('response');
  }

  /** Fails a request as if the agent had sent an error; `toRequestError` finds the failure in the data. */
  #fail(id: string | number, failure: HostError): void {
    if (this.#outgoing.has(id))
      this.#settle({ jsonrpc: '2.0', id, error: { code: ErrorCode.internalError, message: failure.message, data: failure } });
  }

  #receiveRequest(message: WireRequest): void {
    if (this.#incoming.has(message.id)) return this.#refuseDuplicate(message.id);
    this.#receivedId = message.id;
    this.#library.deliver({ ...message, jsonrpc: '2.0' });
    this.#gate.raise('request');
  }

  /**
   * Refuses a second request with the id of a pending one, and withdraws the pending one. The agent could mistake the answer to one for the
   * answer to the other, so neither may be allowed.
   */
  #refuseDuplicate(id: string | number): void {
    this.#misfits.refuse('its id belongs to a pending request', {});
    const error = { code: ErrorCode.invalidRequest, message: 'duplicate request id' };
    this.#writeResponse({ jsonrpc: '2.0', id, error });
    this.#incoming.get(id)?.abort();
  }

  /** Called by the library for the request that was delivered last. */
  async #answer(method: string, params: unknown, token: CancellationToken): Promise<unknown> {
    const id = this.#receivedId;
    const abort = new AbortController();
    this.#incoming.set(id, abort);
    token.onCancellationRequested(() => abort.abort());
    try {
      const named = namedParams(params);
      if (named === undefined) throw new RpcError(ErrorCode.invalidParams, `${method} takes its params by name.`);
      return (await this.#handlers.onRequest({ id, method, params: named, signal: abort.signal })) ?? {};
    } catch (error) {
      if (!(error instanceof RpcError)) this.#log.error(`Answering ${method} failed`, error);
      throw toResponseError(method, error);
    } finally {
      if (this.#incoming.get(id) === abort) this.#incoming.delete(id);
    }
  }

  #onLineTooLong(head: string): void {
    this.#misfits.invalid++;
    const id = responseIdInHead(head);
    if (id !== undefined) this.#fail(id, new HostError('line_too_long', { reason: 'answer' }));
  }

  #end(error: HostError): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    this.#gate.close();
    for (const id of [...this.#outgoing.keys()]) this.#fail(id, error);
    for (const abort of this.#incoming.values()) abort.abort(error);
    this.#library.connection.dispose();
    this.#onClose.fire(error);
    this.#onClose.dispose();
  }
}

/** How many of a kind are worth a warning: a program that logs JSON to stdout is not worth a thousand. */
const warnedMessages = 5;

/** Counts the messages that a peer could not use, and says why in the log. */
class Misfits {
  invalid = 0;
  foreign = 0;
  first: PeerMisfit | undefined;
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  noMessage(value: unknown): void {
    this.first ??= { kind: Array.isArray(value) ? 'batch' : 'no_message', message: value };
    this.refuse(flawOf(value), value);
  }

  refuse(why: string, value: unknown): void {
    const facts = { type: Array.isArray(value) ? 'array' : typeof value };
    const log = this.#logFor(++this.invalid);
    log.warn(`Ignored an invalid message of the agent: ${why}`, facts);
  }

  /** @param pending the ids of requests that have no answer yet */
  foreignId(message: WireResponse, pending: Iterable<string | number>): void {
    this.first ??= { kind: 'foreign_id', message };
    const facts = { id: message.id, pending: [...pending].slice(0, warnedMessages) };
    const log = this.#logFor(++this.foreign);
    log.warn('The agent answered a request that is not pending', facts);
  }

  /** Returns a log that demotes the warnings of which there were enough. */
  #logFor(count: number): Pick<Logger, 'warn'> {
    return count <= warnedMessages ? this.#log : { warn: (message, ...facts) => this.#log.debug(message, ...facts) };
  }
}

/** For whoever is active again and again, the time begins anew until this many times of it have passed. */
const longestExtension = 10;

interface Limits {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** A sign that the answer is being prepared: the time begins anew, but at most ten times `timeoutMs` in all. Not with `onHold`. */
  readonly onProgress?: Event<unknown>;
  /** Stops the time with true; it begins anew with false. */
  readonly onHold?: Event<boolean>;
}

/**
 * Waits for an answer no longer than the limits allow; time during which the machine slept does not count.
 * @param onGiveUp is called with the reason when this stops waiting
 * @throws HostError `request_timeout`, `cancelled`, or what `answer` rejects with
 */
export function withTimeout<T>(answer: Promise<T>, what: string, limits: Limits, onGiveUp: (reason: HostError) => void): Promise<T> {
  const { timeoutMs, signal, onProgress, onHold } = limits;
  return new Promise<T>((resolve, reject) => {
    let stopDeadline = (): void => {};
    const settle = (): void => {
      stopDeadline();
      progress?.dispose();
      hold?.dispose();
      signal?.removeEventListener('abort', onAbort);
    };
    const giveUp = (error: HostError): void => {
      settle();
      reject(error);
      onGiveUp(error);
    };
    const onAbort = (): void => giveUp(new HostError('cancelled', { reason: 'request', method: what }));
    const begin = (limitMs: number): void => {
      stopDeadline();
      stopDeadline = startDeadline(limitMs, () => giveUp(new HostError('request_timeout', { method: what, timeoutMs: limitMs })));
    };
    if (timeoutMs !== undefined) begin(timeoutMs);
    const latestAt = Date.now() + (timeoutMs ?? 0) * (longestExtension - 1);
    const progress = timeoutMs === undefined ? undefined : onProgress?.(() => void (Date.now() < latestAt && begin(timeoutMs)));
    const hold = timeoutMs === undefined ? undefined : onHold?.((isHeld) => (isHeld ? stopDeadline() : begin(timeoutMs)));
    signal?.addEventListener('abort', onAbort, { once: true });
    answer.finally(settle).then(resolve, reject);
  });
}
