import { HostError, toHostError } from '../../base/errors.js';
import type { Redactor } from '../../base/redact.js';
import { ErrorCode, type MethodSpec, type RequestOptions, type RpcPeer } from '../../rpc/peer.js';
import { toRequestError } from '../../rpc/rpcErrors.js';
import type { AuthMethod, BackendDeadlines } from '../agentBackend.js';
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

/** Calls the agent after the handshake, and maps failures to the host's codes. */
export class AcpCalls {
  readonly #parts: AcpCallsParts;

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
  async request<P, R>(spec: MethodSpec<P, R>, params: P, options?: RequestOptions<R>): Promise<R> {
    const { peer, isEnded } = this.#parts;
    if (isEnded()) throw new HostError('agent_exited', { reason: 'not_running' });
    try {
      return await peer.request(spec, params, options);
    } catch (error) {
      throw toCallError(toHostError(error), this.#parts);
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
