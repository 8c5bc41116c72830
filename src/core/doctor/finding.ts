import type { AgentFinding } from '../agents/agentKnowledge.js';

/** What a doctor looks at, in the order in which it looks. */
export type Check = 'agent' | 'path' | 'tools' | 'provider' | 'shell' | 'trust' | 'storage' | 'handshake' | 'capabilities';

export type FindingState = AgentFinding['state'];

export interface Finding extends AgentFinding {
  readonly check: Check;
}
