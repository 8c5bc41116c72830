import type { AgentSummary } from '../core/index.js';

/** Says that a lost agent is back and knows the session. The host does not restart a server, but connects to it again. */
export function agentBackText(agent: Pick<AgentSummary, 'label' | 'isServer'> | undefined): string {
  const label = agent?.label ?? 'The agent';
  return agent?.isServer === true ? `Reconnected to ${label} and resumed the session` : `${label} restarted and resumed the session`;
}
