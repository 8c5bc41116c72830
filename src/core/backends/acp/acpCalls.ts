import type { AcpQuirks } from '../../agents/acpQuirks.js';
import type { AuthMethod, BackendDeadlines } from '../agentBackend.js';
import type { FailureHint } from '../../session/agentHint.js';
import type { AskingSession } from './askingSession.js';
import { HostError, redactError, toHostError } from '../../base/errors.js';
import { Emitter } from '../../base/event.js';
import { failureReason, toRequestError } from '../../rpc/failureReason.js';
import { isFields } from '../../base/fields.js';
import type { RequestUser } from '../../services/hostServices.js';
import { notifications, parseRpcFailure } from './schema/methods.js';
import { ErrorCode, type MethodSpec, type RequestOptions, type RpcPeer } from '../../rpc/peer.js';
import type { PromptEnd } from './schema/promptEnd.js';
import type { Redactor } from '../../base/redact.js';
import { standardQuirks } from '../../agents/standardQuirks.js';

/** ACP's own code. agentao also uses it for a call before the handshake, which the host never makes. */
const resourceNotFound = -32002;

interface CallErrorContext {
  readonly quirks: AcpQuirks;
  readonly redactor: Redactor;
  readonly authMethods: readonly AuthMethod[];
}

/** Returns the answer of an agent that refused a call; undefined for any other error. */
function failureIn({ code, params }: HostError): ReturnType<typeof parseRpcFailure> {
  return code === 'request_failed' ? parseRpcFailure(params) : undefined;
}

/** Redacts the agent's own text, because providers quote the key that they reject. */
export function toCallError(error: HostError, { quirks, redactor, authMethods }: CallErrorContext): HostError {
  const failure = failureIn(error);
  const meaning = failure && quirks.classifyError(failure);
  const code = meaning?.code ?? (failure !== undefined && authMethods.length > 0 && isSignedOut(error) ? 'auth_required' : error.code);
  const params = {
    ...error.params,
    ...(meaning === undefined ? {} : { detail: failureReason({ code: 0, message: meaning.detail }) }),
    ...(code === 'auth_required' ? { authMethods } : {}),
    ...hintFor(error, quirks),
  };
  return redactError(HostError.from({ code, params }), redactor);
}

/** Matches what providers and agents say about a sign-in that is missing, has expired or was refused. */
const signedOut =
  /\b(?:error|status|code|https?)\W{0,3}401\b|^401\b|\b401\W+(?:unauthori[sz]ed|\{)|\bunauthori[sz]ed\b|\bauthentication[_ ](?:error|failed|required)|\bnot (?:logged|signed) in\b|\b(?:log|sign) ?in again\b|\bplease (?:log|sign) ?in\b|\b(?:oauth|access|refresh|auth) ?token\b.{0,40}\b(?:expired|revoked|refreshed)\b/i;

/** Many agents report it as an internal error; those that know ACP's own code don't get here. */
function isSignedOut({ params: { detail, data } }: HostError): boolean {
  const facts = isFields(data) ? Object.values(data).filter((value) => typeof value === 'string') : [];
  return [detail ?? '', ...facts].some((text) => signedOut.test(text));
}

function hintFor({ params: { detail } }: HostError, { failureHint }: AcpQuirks): { readonly hint?: FailureHint } {
  const hint = detail === undefined ? undefined : (failureHint?.(detail) ?? standardQuirks.failureHint?.(detail));
  return hint === undefined ? {} : { hint };
}

/**
 * Agents refuse an unknown session with -32002, -32600, -32602 or a code of their own, so this depends on the call instead. Internal errors
 * of the agent and missing methods stay unchanged.
 */
export function toResumeError(error: HostError): HostError {
  const failure = failureIn(error);
  if (failure === undefined || failure.code === ErrorCode.internalError || failure.code === ErrorCode.methodNotFound) return error;
  return new HostError('session_unknown', { ...error.params, reason: 'refused' }, { cause: error });
}

/**
 * Matches the message of an adapter whose inner agent lost the session (claude-agent-acp), which has no code for that. The agent may have
 * accepted the prompt.
 */
const lostMessage = /did not end in result/i;

/**
 * Maps the failure of a prompt in a session that the agent had opened and then lost. `refused` means that the agent did not accept the
 * prompt.
 */
export function toPromptError(error: HostError): HostError {
  if (isUnknownSession(error)) return new HostError('session_unknown', { ...error.params, reason: 'refused' }, { cause: error });
  const failure = failureIn(error);
  if (failure?.code !== ErrorCode.internalError || !lostMessage.test(failure.message)) return error;
  return new HostError('session_unknown', { ...error.params, reason: 'lost' }, { cause: error });
}

/** Matches the agent's own words for it: many adapters use -32603 or -32602 instead of ACP's code. */
const unknownSession =
  /\b(?:session|conversation|thread)\b[^.]{0,60}?\b(?:not found|unknown|does ?n[o']t exist|does not exist|no longer exists)\b|\b(?:unknown|no such|no active|invalid|(?:could not|cannot|can't) find) (?:session|conversation|thread)\b/i;

/** Whether the agent doesn't know a session that is open. For closing, this is not a failure. */
export function isUnknownSession(error: HostError): boolean {
  const failure = failureIn(error);
  return failure !== undefined && (failure.code === resourceNotFound || unknownSession.test(error.params.detail ?? failure.message));
}

export interface AcpCallsParts {
  readonly peer: RpcPeer;
  readonly deadlines: BackendDeadlines;
  readonly redactor: Redactor;
  readonly quirks: AcpQuirks;
  readonly authMethods: readonly AuthMethod[];
  readonly isEnded: () => boolean;
}

export interface CallOptions<R = unknown> extends Omit<RequestOptions<R>, 'onId' | 'onHold' | 'onProgress'> {
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
