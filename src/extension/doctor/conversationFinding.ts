import type { ConversationState, Finding } from '../../core/index.js';

/**
 * Returns what prevents the next answer in the conversation; undefined if nothing does.
 * @param found what diagnostics found; a start that failed there as well explains the conversation's
 */
export function conversationFinding({ agent, blocker, info, status }: ConversationState, found: readonly Finding[]): Finding | undefined {
  const failed = status.state === 'failed' ? status : undefined;
  const error = blocker?.error ?? failed?.error;
  if (error === undefined || found.some(preventsStart)) return undefined;
  const params = { agent: agent?.label ?? 'The agent', error, stderrTail: failed?.stderrTail ?? '' };
  if (error.code !== 'auth_required') return { check: 'session', state: 'problem', code: 'conversation_blocked', params };
  const signIn = (info?.authMethods ?? []).map(({ name }) => name);
  return { check: 'session', state: 'problem', code: 'session_needs_sign_in', params: { ...params, signIn } };
}

function preventsStart({ check, state }: Finding): boolean {
  return state === 'problem' && (check === 'agent' || check === 'trust' || check === 'handshake');
}
