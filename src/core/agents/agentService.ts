import type { KnownAgent } from './agentKnowledge.js';

/** A server whose URL only its operator knows. Source: its protocol document of 2025-03-30; not tested with the program itself. */
export const agentService = {
  id: 'agent-service',
  label: 'Agent service',
  commonName: 'agent service',
  protocol: 'agent-service',
} satisfies KnownAgent;
