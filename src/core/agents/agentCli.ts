import type { KnownAgent } from './agentKnowledge.js';

/** A server that only whoever runs it knows the address of. Source: agent-cli 0.9.0 (392ac0a), read and not run. */
export const agentCli = { id: 'agent-cli', label: 'Agent-CLI', protocol: 'agent-cli' } satisfies KnownAgent;
