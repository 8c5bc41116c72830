import type { ConversationState } from '../../core/index.js';

/** Whether its agent may start although nothing was sent: it was used before, and nothing is left to decide or to send that its start would settle. */
export function mayPrepare(state: ConversationState, wasUsed: (agentId: string) => boolean): boolean {
  const { agent, status, opening, blocker, outbox, elsewhere } = state;
  if (agent === undefined || !wasUsed(agent.id) || status.state !== 'stopped') return false;
  return opening === undefined && blocker === undefined && elsewhere === undefined && outbox.length === 0;
}
