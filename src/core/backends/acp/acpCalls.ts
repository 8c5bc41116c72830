import { HostError, toHostError } from '../../base/errors.js';
import { Emitter } from '../../base/event.js';
import type { Redactor } from '../../base/redact.js';
import { ErrorCode, type MethodSpec, type RequestOptions, type RpcPeer } from '../../rpc/peer.js';
import { toRequestError } from '../../rpc/rpcErrors.js';
import type { RequestUser } from '../../services/hostServices.js';
import type { AuthMethod, BackendDeadlines } from '../agentBackend.js';
import type { AskingSession } from './askingSession.js';
import { toCallError } from './callErrors.js';
import type { AcpQuirks } from '../../agents/acpQuirks.js';
import { notifications } from './schema/methods.js';
import type { PromptEnd } from './schema/promptEnd.js';

export interface AcpCallsParts {
  readonly peer: RpcPeer;
  readonly deadlines: BackendDeadlines;
  readonly redactor: Redactor;
  readonly quirks: AcpQuirks;
  readonly authMethods: readonly AuthMethod[];
  readonly isEnded: () => boolean;
}

export interface CallOptions<R = unknown> extends Omit<RequestOptions<R>, 'onId' | 'onHold'> {
  /** Who is asked if the agent has a question before it answers: a session, or outside of one what shows it. If absent, nobody. */
  readonly asker?: AskingSession | RequestUser | undefined;
}

/** A call that the agent has not answered, and because of which it may ask. */
export interface AskingCall {
  readonly asker: NonNullable<CallOptions['asker']>;
  /** Aborted when the call is over. */
  readonly over: AbortSignal;
  /** Waits for the user. Meanwhile, the call does not time out. */
  hold<T>(answer: Promise<T>): Promise<T>;
}

/** Calls the agent after the handshake, and maps failures to the host's codes. */
export class AcpCalls {
  readonly #parts: AcpCallsParts;
  readonly #asking = new Map<string | number, AskingCall>();

  constructor(parts: AcpCallsParts) {
    this.#parts = parts;
  }

  get deadlines(): BackendDeadlines {
    return this.#parts.deadlines;
  }

  /**
   * @throws HostError `agent_exited`, `cancelled`, `auth_required`, `request_failed`, `request_timeout`, `invalid_response`, and the codes to which the
   * agent's quirks map a failure
   */
  async request<P, R>(spec: MethodSpec<P, R>, params: P, { asker, ...options }: CallOptions<R> = {}): Promise<R> {
    const { peer, isEnded } = this.#parts;
    if (isEnded()) throw new HostError('agent_exited', { reason: 'not_running' });
    try {
      return await (asker === undefined ? peer.request(spec, params, options) : this.#ask(spec, params, { ...options, asker }));
    } catch (error) {
      throw toCallError(toHostError(error), this.#parts);
    }
  }

  find(requestId: string | number): AskingCall | undefined {
    return this.#asking.get(requestId);
  }

  async #ask<P, R>(spec: MethodSpec<P, R>, params: P, { asker, ...options }: CallOptions<R> & Pick<AskingCall, 'asker'>): Promise<R> {
    const over = new AbortController();
    const onHold = new Emitter<boolean>();
    let open = 0;
    const hold = async <T>(answer: Promise<T>): Promise<T> => {
      if (++open === 1) onHold.fire(true);
      return answer.finally(() => --open === 0 && onHold.fire(false));
    };
    let id: string | number | undefined;
    const onId = (given: string | number): void => {
      id = given;
      this.#asking.set(given, { asker, over: over.signal, hold });
    };
    try {
      return await this.#parts.peer.request(spec, params, { ...options, onId, onHold: onHold.event });
    } finally {
      if (id !== undefined) this.#asking.delete(id);
      over.abort();
      onHold.dispose();
    }
  }

  /** Returns the failure that an answer tells. */
  failure(method: string, { stopReason, told, code, remedies }: Omit<Extract<PromptEnd, { type: 'failed' }>, 'type'>): HostError {
    const { authMethods } = this.#parts;
    const error = toRequestError(method, { code: ErrorCode.internalError, message: '', data: told });
    const known = toCallError(told === undefined ? error.with({ reason: 'stop_reason', stopReason }) : error, this.#parts);
    const failure = remedies === undefined ? known : known.with({ remedies });
    if (code === undefined) return failure;
    return HostError.from({ code, params: { ...failure.params, ...(code === 'auth_required' ? { authMethods } : {}) } });
  }

  async cancel(sessionId: string): Promise<void> {
    await this.#parts.peer.notify(notifications.cancel, { sessionId });
  }
}
