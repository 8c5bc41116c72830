import type { HostError, HostErrorCode, HostErrorData } from '../../core/index.js';

/** What stands between the user and an answer, with the way out. */
export type Blocker =
  | { readonly type: 'sign_in'; readonly error: HostErrorData }
  /** The agent cannot take the conversation up; nothing is begun silently in its place. */
  | { readonly type: 'load_failed'; readonly error: HostErrorData }
  | { readonly type: 'failed'; readonly error: HostErrorData };

/** An agent that answers so cannot take a conversation up, and trying again will not help. */
const loadRefusals: ReadonlySet<HostErrorCode> = new Set(['unsupported', 'session_unknown', 'request_failed', 'invalid_response']);

/** @param hasConversation there is one to take up; otherwise a new one was to begin */
export function toBlocker(error: HostError, hasConversation: boolean): Blocker {
  const data = error.toData();
  if (error.code === 'auth_required') return { type: 'sign_in', error: data };
  return { type: loadRefusals.has(error.code) && hasConversation ? 'load_failed' : 'failed', error: data };
}
