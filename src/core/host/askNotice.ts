import { findKnownAgent } from '../agents/knownAgents.js';
import type { AgentInfo } from '../backends/agentBackend.js';
import type { AskHabit } from '../session/agentHint.js';
import type { HostNoticeCode } from '../session/hostNotice.js';

const codes = { never: 'agent_never_asks', not_before_commands: 'agent_runs_commands_unasked' } as const satisfies Readonly<
  Record<AskHabit, HostNoticeCode>
>;

/** What a person must know before the first turn of an agent that does things without asking. */
export function askNotice(info: AgentInfo | undefined): (typeof codes)[AskHabit] | undefined {
  const habit = findKnownAgent(info?.name)?.askHabit;
  return habit === undefined ? undefined : codes[habit];
}
