import type { AgentSummary } from '../core/index.js';

/** A lost agent is back, and knows the session. A server was not restarted by anyone here: it is connected to again. */
export function agentBackText(agent: Pick<AgentSummary, 'label' | 'isServer'> | undefined): string {
  const label = agent?.label ?? 'The agent';
  return agent?.isServer === true ? `Reconnected to ${label} and resumed the session` : `${label} restarted and resumed the session`;
}
