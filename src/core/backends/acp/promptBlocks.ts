/** Converts a prompt to ACP's blocks: always `text` and `resource_link`, the rest according to `promptCapabilities`. */
import type { ContentBlock as WireBlock } from '@agentclientprotocol/sdk';
import type { AcpQuirks } from '../../agents/acpQuirks.js';
import type { ContentBlock } from '../../session/model.js';
import type { AgentInfo } from '../agentBackend.js';
import { toAcceptedContent } from '../promptContent.js';

/** @throws HostError like toAcceptedContent */
export function toPromptBlocks(content: readonly ContentBlock[], accepted: AgentInfo['promptContent'], quirks: AcpQuirks): WireBlock[] {
  return toAcceptedContent(content, accepted).map((block) => quirks.promptBlock(block));
}
