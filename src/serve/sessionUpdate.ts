import type { ClientCapabilities, SessionUpdate } from '@agentclientprotocol/sdk';
import type { AcpUpdate } from '../core/index.js';
import { inWords } from './inWords.js';

type Kind = SessionUpdate['sessionUpdate'];

const always = (): boolean => true;
const forCompaction = ({ session }: ClientCapabilities): boolean => session?.compaction != null;

/** Which clients are sent an update of this kind: some must have declared that they know it. */
const kinds: Readonly<Record<Kind, (client: ClientCapabilities) => boolean>> = {
  user_message_chunk: always,
  agent_message_chunk: always,
  agent_thought_chunk: always,
  tool_call: always,
  tool_call_update: always,
  plan: always,
  available_commands_update: always,
  current_mode_update: always,
  config_option_update: always,
  session_info_update: always,
  usage_update: always,
  notice: ({ session }) => session?.notices != null,
  compaction_update: forCompaction,
  compaction_summary_chunk: forCompaction,
};

/** @returns in words where this client does not know the kind; undefined for what is not ACP, or has no words */
export function updateFor(update: AcpUpdate, client: ClientCapabilities): SessionUpdate | undefined {
  if (!isOfKnownKind(update)) return undefined;
  return kinds[update.sessionUpdate](client) ? update : inWords(update);
}

/** @param update of AcpProjection, which makes ACP's own of everything but an agent's extensions */
function isOfKnownKind(update: AcpUpdate): update is AcpUpdate & SessionUpdate {
  return Object.hasOwn(kinds, update.sessionUpdate);
}
