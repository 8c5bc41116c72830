import { serverCaveat } from '../host/serverCaveat.js';
import type { AgentChoice } from './ports.js';
import type { AgentSummary } from './state.js';

/** Returns what front ends show of an agent, as plain data. */
export function agentSummary({ definition, isFallback }: Pick<AgentChoice, 'definition' | 'isFallback'>): AgentSummary {
  const caveat = serverCaveat(definition);
  const server = 'url' in definition ? ({ isServer: true } as const) : {};
  return { id: definition.id, label: definition.label, isFallback, ...server, ...(caveat === undefined ? {} : { caveat }) };
}
