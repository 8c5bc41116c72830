import type { KnownAgent } from './agentKnowledge.js';

/** A server whose URL only its operator knows. Source: agent-cli 0.9.0 (392ac0a), read and not run. */
export const agentCli = { id: 'agent-cli', label: 'Agent-CLI', protocol: 'agent-cli' } satisfies KnownAgent;
