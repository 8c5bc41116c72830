/** Typed JSON-RPC 2.0 with an agent. This is the seam in front of vscode-jsonrpc: nothing above this file knows the library. */
import type { Disposable } from '../base/disposable.js';
import type { Event } from '../base/event.js';
import type { HostError } from '../base/errors.js';

/** A method of the agent: its name on the wire and the parser of its result. Parsers throw, which becomes `invalid_response`. */
export interface MethodSpec<P, R> {
  readonly method: string;
  readonly parseResult: (result: unknown) => R;
  /** Phantom: binds the type of the params. */
  readonly params?: P;
}

export interface RequestOptions<R = unknown> {
  /** In milliseconds. If it is absent, the request never times out, as for a turn. */
  readonly timeoutMs?: number;
  /** Aborting sends `$/cancel_request` and rejects with `cancelled`. */
  readonly signal?: AbortSignal;
  /** What shows that the agent is preparing its answer; see `withTimeout`. */
  readonly onProgress?: Event<unknown>;
  /** While its last value is true, the answer waits for the user, and no time passes. */
  readonly onHold?: Event<boolean>;
  /** Called before the request returns, with the id under which the agent knows the request, because the agent may refer to it. */
  readonly onId?: (id: string | number) => void;
  /** Called with what still may come when the request times out or is aborted. */
  readonly onGiveUp?: (late: Promise<R>) => void;
}

export interface IncomingRequest {
  readonly id: string | number;
  readonly method: string;
  /** Params by name; missing params and `null` become `{}`. */
  readonly params: unknown;
  /** Aborted on `$/cancel_request`, and when the connection ends; then the reason is the HostError that ended it. */
  readonly signal: AbortSignal;
}

export interface PeerHandlers {
  /**
   * Answers a request of the agent. The result is sent as `result` (`undefined` and `null` become `{}`). What it throws is sent as `error`:
   * an RpcError as it is, everything else as -32603 without internal details.
   */
  onRequest(request: IncomingRequest): Promise<unknown>;
  /**
   * Whether the method is a request. Some agents write absent members as `null`, so that an id that is null does not tell a request from a
   * notification.
   */
  isRequest?(method: string): boolean;
  /**
   * Handles a notification in wire order, synchronously from the reader, and before any response that follows it. A returned promise counts
   * as backlog until it settles; the next notification does not wait for it. Beyond the limit, the pipe is paused.
   */
  onNotification(method: string, params: unknown): void | Promise<void>;
}

export interface RpcPeer extends Disposable {
  /** Starts reading. Handlers are set before, so nothing is missed. */
  listen(): void;
  /** @throws HostError `auth_required`, `request_failed` (data: {code, message, data} as the agent sent them), `request_timeout`, `invalid_response`, `agent_exited`, `queue_full`, `cancelled`, `disposed` */
  request<P, R>(spec: MethodSpec<P, R>, params: P, options?: RequestOptions<R>): Promise<R>;
  /**
   * Resolves when the line was written to the pipe.
   * @throws HostError `agent_exited`, `queue_full`, `disposed`
   */
  notify(method: string, params: object): Promise<void>;
  /** Fires once, after everything that was read before the end was dispatched and every pending request was rejected. */
  readonly onClose: Event<HostError>;
  /** Counters for diagnostics. */
  readonly stats: PeerStats;
  /** The first message that could be neither handled nor matched with a request. It may be what should have been an answer. */
  readonly firstMisfit: PeerMisfit | undefined;
}

export interface PeerMisfit {
  /** `foreign_id`: a response to a request that was never made. */
  readonly kind: 'batch' | 'no_message' | 'foreign_id';
  /** As it was received; not redacted. */
  readonly message: unknown;
}

export interface PeerStats {
  readonly noiseLines: number;
  readonly invalidMessages: number;
  readonly unknownResponses: number;
  /** Requests that were not answered in time. */
  readonly timeouts: number;
  readonly pendingRequests: number;
  readonly backlog: number;
  readonly pauses: number;
}

/** An error that is sent to the agent as it is. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The error codes of JSON-RPC and ACP (ACP v1, "Error codes"). */
export const ErrorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  requestCancelled: -32800,
  authRequired: -32000,
  resourceNotFound: -32002,
} as const;
