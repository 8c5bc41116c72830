import type { ClientCapabilities, SessionUpdate } from '@agentclientprotocol/sdk';
import type { AcpUpdate } from '../core/index.js';
import { inWords } from './inWords.js';

type Kind = SessionUpdate['sessionUpdate'];

const always = (): boolean => true;
const forCompaction = ({ session }: ClientCapabilities): boolean => session?.compaction != null;

/** Whether a client gets updates of this kind: some kinds must be declared by the client. */
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

/** @returns text instead if this client does not support the kind; undefined for what is not ACP, or cannot be expressed as text */
export function updateFor(update: AcpUpdate, client: ClientCapabilities): SessionUpdate | undefined {
  if (!isOfKnownKind(update)) return undefined;
  return kinds[update.sessionUpdate](client) ? update : inWords(update);
}

/** @param update from AcpProjection, which converts everything to ACP except an agent's own extensions */
function isOfKnownKind(update: AcpUpdate): update is AcpUpdate & SessionUpdate {
  return Object.hasOwn(kinds, update.sessionUpdate);
}
