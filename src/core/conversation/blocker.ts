import type { HostError, HostErrorCode } from '../base/errors.js';
import type { ConversationContext } from './context.js';
import type { Blocker } from './state.js';

/** Errors with which an agent refuses to resume a session. Another attempt would not help. */
const resumeRefusals: ReadonlySet<HostErrorCode> = new Set(['unsupported', 'session_unknown', 'request_failed', 'invalid_response']);

/** @param resuming the session that should have been resumed; absent for a new session */
export function toBlocker(
  error: HostError,
  resuming: { readonly sessionId: string; readonly offer: () => ConversationContext | undefined } | undefined,
): Blocker {
  const data = error.toData();
  if (error.code === 'auth_required') return { type: 'sign_in', error: data };
  if (resuming === undefined || !resumeRefusals.has(error.code)) return { type: 'failed', error: data };
  return { type: 'resume_refused', error: data, sessionId: resuming.sessionId, offer: resuming.offer() };
}
