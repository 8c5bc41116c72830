import type { AgentFinding } from '../agents/agentKnowledge.js';

/** What a doctor looks at, in the order in which it looks. */
export const checks = ['agent', 'path', 'tools', 'provider', 'shell', 'trust', 'storage', 'handshake', 'capabilities'] as const;
export type Check = (typeof checks)[number];

export interface Finding extends AgentFinding {
  readonly check: Check;
}
