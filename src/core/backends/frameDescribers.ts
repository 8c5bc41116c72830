import type { AgentDefinition } from '../agents/agentDefinition.js';
import type { FrameDescriber } from '../traffic/frameDescriber.js';
import { acpFrames } from './acp/acpFrames.js';

/** How the traffic of each protocol is read. */
export const frameDescribers: Readonly<Record<AgentDefinition['protocol'], FrameDescriber>> = { acp: acpFrames };

/** @param protocol as a trace names it; traces that name none are ACP's @returns undefined for a protocol that this host does not know */
export function frameDescriberOf(protocol = 'acp'): FrameDescriber | undefined {
  return new Map<string, FrameDescriber>(Object.entries(frameDescribers)).get(protocol);
}
