/** Maps failed calls to the codes of the host. */
import { HostError, redactError } from '../../base/errors.js';
import { isFields } from '../../base/fields.js';
import type { Redactor } from '../../base/redact.js';
import { failureReason } from '../../rpc/failureReason.js';
import { ErrorCode } from '../../rpc/peer.js';
import type { FailureHint } from '../../session/agentHint.js';
import type { AuthMethod } from '../agentBackend.js';
import type { AcpQuirks } from '../../agents/acpQuirks.js';
import { standardQuirks } from '../../agents/standardQuirks.js';
import { parseRpcFailure } from './schema/methods.js';

/** ACP's own code. agentao also uses it for a call before the handshake, which the host never makes. */
const resourceNotFound = -32002;

export interface CallErrorContext {
  readonly quirks: AcpQuirks;
  readonly redactor: Redactor;
  readonly authMethods: readonly AuthMethod[];
}

/** Redacts the agent's own text, because providers quote the key that they reject. */
export function toCallError(error: HostError, { quirks, redactor, authMethods }: CallErrorContext): HostError {
  const failure = error.code === 'request_failed' ? parseRpcFailure(error.params) : undefined;
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
  const failure = error.code === 'request_failed' ? parseRpcFailure(error.params) : undefined;
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
  const failure = error.code === 'request_failed' ? parseRpcFailure(error.params) : undefined;
  if (failure?.code !== ErrorCode.internalError || !lostMessage.test(failure.message)) return error;
  return new HostError('session_unknown', { ...error.params, reason: 'lost' }, { cause: error });
}

/** Matches the agent's own words for it: many adapters use -32603 or -32602 instead of ACP's code. */
const unknownSession =
  /\b(?:session|conversation|thread)\b[^.]{0,60}?\b(?:not found|unknown|does ?n[o']t exist|does not exist|no longer exists)\b|\b(?:unknown|no such|no active|invalid|(?:could not|cannot|can't) find) (?:session|conversation|thread)\b/i;

/** Whether the agent doesn't know a session that is open. For closing, this is not a failure. */
export function isUnknownSession(error: HostError): boolean {
  const failure = error.code === 'request_failed' ? parseRpcFailure(error.params) : undefined;
  return failure !== undefined && (failure.code === resourceNotFound || unknownSession.test(error.params.detail ?? failure.message));
}
