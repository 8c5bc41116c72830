/** JSON-RPC 2.0 with an agent, typed at the call. The seam in front of vscode-jsonrpc: nothing above this file knows it. */
import type { Disposable } from '../base/disposable.js';
import type { Event } from '../base/event.js';
import type { HostError } from '../base/errors.js';

/** A method of the agent: its name on the wire and the parser of its result. Parsers throw; a throw becomes `invalid_response`. */
export interface MethodSpec<P, R> {
  readonly method: string;
  readonly parseResult: (result: unknown) => R;
  /** Phantom: binds the type of the params. */
  readonly params?: P;
}

export interface RequestOptions {
  /** Milliseconds; absent means that it never times out (a turn). */
  readonly timeoutMs?: number;
  /** Aborting sends `$/cancel_request` and rejects with `cancelled`. */
  readonly signal?: AbortSignal;
  /** Called before this returns, with the id under which the agent knows the request: it may refer to it. */
  readonly onId?: (id: string | number) => void;
}

export interface IncomingRequest {
  readonly id: string | number;
  readonly method: string;
  /** By-name params; missing and `null` arrive as `{}`. */
  readonly params: unknown;
  /** Aborted on `$/cancel_request`, and when the connection ends: then its reason is the HostError that ended it. */
  readonly signal: AbortSignal;
}

export interface PeerHandlers {
  /**
   * Answers a request of the agent. What it resolves with is sent as `result` (`undefined` and `null` become `{}`).
   * What it throws is sent as `error`: an RpcError as it is, everything else as -32603 without inner details.
   */
  onRequest(request: IncomingRequest): Promise<unknown>;
  /**
   * A notification, in wire order, synchronously from the reader, and before any response that follows it.
   * A returned promise counts as backlog until it settles; the next notification does not wait for it. Beyond the limit the pipe is paused.
   */
  onNotification(method: string, params: unknown): void | Promise<void>;
}

export interface RpcPeer extends Disposable {
  /** Begins to read. Handlers are set before, so nothing is missed. */
  listen(): void;
  /** @throws HostError `auth_required`, `request_failed` (data: {code, message, data} as the agent sent them), `request_timeout`, `invalid_response`, `agent_exited`, `queue_full`, `cancelled`, `disposed` */
  request<P, R>(spec: MethodSpec<P, R>, params: P, options?: RequestOptions): Promise<R>;
  /** Resolves when the line was handed to the pipe. @throws HostError `agent_exited`, `queue_full`, `disposed` */
  notify(method: string, params: object): Promise<void>;
  /** Fires once, after everything that was read before the end has been dispatched and every pending request was rejected. */
  readonly onClose: Event<HostError>;
  /** Counters for a person who wonders: malformed lines, unknown response ids, requests in flight, times the pipe was paused. */
  readonly stats: PeerStats;
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

/** An error to be sent to the agent as it is. */
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

/** JSON-RPC and ACP error codes (ACP v1; acp "Error codes"). */
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
