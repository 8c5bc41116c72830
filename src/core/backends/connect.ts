/** How each wire protocol is spoken. A protocol that is added is a line here, and a folder beside this file. */
import type { AgentDefinition } from '../agents/agentDefinition.js';
import { connectAcp } from './acp/acpBackend.js';
import type { ConnectAgent } from './agentBackend.js';

export const connectFunctions: Readonly<Record<AgentDefinition['protocol'], ConnectAgent>> = {
  acp: connectAcp,
};
