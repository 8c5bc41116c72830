import type { ConversationState } from '../../core/index.js';

/**
 * Returns whether the agent may start although nothing was sent: it was used before, and its start would not settle anything that is still
 * to be decided or sent.
 */
export function mayPrepare(state: ConversationState, wasUsed: (agentId: string) => boolean): boolean {
  const { agent, status, opening, blocker, outbox } = state;
  if (agent === undefined || !wasUsed(agent.id) || status.state !== 'stopped') return false;
  return opening === undefined && blocker === undefined && outbox.length === 0;
}
