import type { AgentDefinition } from '../agents/agentDefinition.js';
import { isPlainBeyondLoopback } from '../agents/serverUrl.js';
import { protocolOf } from '../backends/protocols.js';

/**
 * What a user must know about a server. `unauthenticated`: everyone who can reach it can use it. `unencrypted`: others can read the
 * conversation.
 */
export type ServerCaveat = 'unauthenticated' | 'unencrypted';

/** @returns undefined for a program, and for a server that authenticates its clients over a secure connection */
export function serverCaveat(definition: AgentDefinition): ServerCaveat | undefined {
  if (!('url' in definition)) return undefined;
  const protocol = protocolOf(definition.protocol);
  if (protocol.peer === 'server' && protocol.isUnauthenticated === true) return 'unauthenticated';
  return isPlainBeyondLoopback(definition.url) ? 'unencrypted' : undefined;
}
