/** A failed call in the words and codes of the host. */
import { HostError, redactError } from '../../base/errors.js';
import type { Redactor } from '../../base/redact.js';
import { failureReason } from '../../rpc/failureReason.js';
import { ErrorCode } from '../../rpc/peer.js';
import type { FailureHint } from '../../session/agentHint.js';
import type { AuthMethod } from '../agentBackend.js';
import type { AcpQuirks } from '../../agents/acpQuirks.js';
import { standardQuirks } from '../../agents/standardQuirks.js';
import { parseRpcFailure } from './schema/methods.js';

/** ACP's own. Also agentao's for a call before the handshake, which there is none of here. */
const resourceNotFound = -32002;

export interface CallErrorContext {
  readonly quirks: AcpQuirks;
  readonly redactor: Redactor;
  readonly authMethods: readonly AuthMethod[];
}

/** The agent's own words pass the redactor here: providers quote the key that they refuse. */
export function toCallError(error: HostError, { quirks, redactor, authMethods }: CallErrorContext): HostError {
  const failure = error.code === 'request_failed' ? parseRpcFailure(error.params) : undefined;
  const meaning = failure && quirks.classifyError(failure);
  const code = meaning?.code ?? error.code;
  const params = {
    ...error.params,
    ...(meaning === undefined ? {} : { detail: failureReason({ code: 0, message: meaning.detail }) }),
    ...(code === 'auth_required' ? { authMethods } : {}),
    ...hintFor(error, quirks),
  };
  return redactError(HostError.from({ code, params }), redactor);
}

function hintFor({ params: { detail } }: HostError, { failureHint }: AcpQuirks): { readonly hint?: FailureHint } {
  const hint = detail === undefined ? undefined : (failureHint?.(detail) ?? standardQuirks.failureHint?.(detail));
  return hint === undefined ? {} : { hint };
}

/**
 * Agents refuse an unknown session as -32002, -32600, -32602 or with a code of their own, so what was asked decides.
 * Left as they are: what went wrong inside the agent, and what it does not know how to do.
 */
export function toResumeError(error: HostError): HostError {
  const failure = error.code === 'request_failed' ? parseRpcFailure(error.params) : undefined;
  if (failure === undefined || failure.code === ErrorCode.internalError || failure.code === ErrorCode.methodNotFound) return error;
  return new HostError('session_unknown', { ...error.params, reason: 'refused' }, { cause: error });
}

/** The words of adapters whose inner agent lost the session (claude-agent-acp): they have no code for it. The prompt may have been taken. */
const lostWords = /did not end in result/i;

/** Of a prompt in a session that the agent had opened: it has lost it since then. `refused`: it did not take the prompt. */
export function toPromptError(error: HostError): HostError {
  if (isUnknownSession(error)) return new HostError('session_unknown', { ...error.params, reason: 'refused' }, { cause: error });
  const failure = error.code === 'request_failed' ? parseRpcFailure(error.params) : undefined;
  if (failure?.code !== ErrorCode.internalError || !lostWords.test(failure.message)) return error;
  return new HostError('session_unknown', { ...error.params, reason: 'lost' }, { cause: error });
}

/** ACP: closing what the agent does not know any more is no failure. */
export function isUnknownSession(error: HostError): boolean {
  return error.code === 'request_failed' && parseRpcFailure(error.params)?.code === resourceNotFound;
}
