import type { AgentDefinition } from '../agents/agentDefinition.js';
import { isPlainBeyondLoopback } from '../agents/serverUrl.js';
import { protocolOf } from '../backends/protocols.js';

/** What a person must not forget about a server. `unauthenticated`: whoever reaches it can use it; `unencrypted`: others can read what is said. */
export type ServerCaveat = 'unauthenticated' | 'unencrypted';

/** @returns undefined for a program, and for a server that knows its clients and is reached safely */
export function serverCaveat(definition: AgentDefinition): ServerCaveat | undefined {
  if (!('url' in definition)) return undefined;
  const protocol = protocolOf(definition.protocol);
  if (protocol.peer === 'server' && protocol.isUnauthenticated === true) return 'unauthenticated';
  return isPlainBeyondLoopback(definition.url) ? 'unencrypted' : undefined;
}
