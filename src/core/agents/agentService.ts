import type { KnownAgent } from './agentKnowledge.js';

/** A server that only whoever runs it knows the address of. Source: its protocol document of 2025-03-30; the program itself was never seen. */
export const agentService = {
  id: 'agent-service',
  label: 'Agent service',
  commonName: 'agent service',
  protocol: 'agent-service',
} satisfies KnownAgent;
