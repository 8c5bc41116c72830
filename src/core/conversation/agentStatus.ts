import type { AgentHost, AgentStatus } from '../host/api.js';
import type { SessionState } from '../session/model.js';
import { activityOf } from './sessionAccess.js';
import type { AgentStatusData } from './state.js';

/**
 * @param session the session on screen: what the agent does in other sessions, or fails to open, does not concern this conversation
 * @param isLive the session accepts prompts
 */
export function toStatusData(host: AgentHost | undefined, session: SessionState | undefined, isLive: boolean): AgentStatusData {
  if (host === undefined) return { state: 'stopped' };
  if (isLive) return activityOf(session);
  const { status } = host;
  return status.state === 'busy' || status.state === 'waiting' ? activityOf(session) : statusData(status);
}

/** Returns the status as plain data. */
export function statusData(status: AgentStatus): AgentStatusData {
  switch (status.state) {
    case 'failed':
      return { ...status, error: status.error.toData() };
    case 'reconnecting': {
      const { reason, ...rest } = status;
      return reason === undefined ? rest : { ...rest, reason: reason.toData() };
    }
    default:
      return status;
  }
}
