import type { AgentMemory, ConversationState } from '../../core/index.js';

/** @returns a function that saves what the agent of a live conversation offers whenever that changes */
export function offerRecorder(memory: AgentMemory): (state: ConversationState) => void {
  const seen = new Map<string, NonNullable<ConversationState['session']>>();
  return ({ live, agent, session, info }) => {
    if (!live || agent === undefined || session === undefined) return;
    const before = seen.get(agent.id);
    if (before?.options === session.options && before.commands === session.commands) return;
    seen.set(agent.id, session);
    const { options, commands } = session;
    memory.remember(agent.id, { options, commands, agentVersion: info?.version });
  };
}
