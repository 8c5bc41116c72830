/** How agents tell a host about sub-agents in ordinary tool calls, without the sub-agents of ACP. */
import { textMember } from '../base/fields.js';
import { stripControls } from '../base/terminalCodes.js';

export interface SubagentStart {
  readonly name: string;
  /** What it is to do, if the call says it. */
  readonly task: string | undefined;
}

/**
 * Recognizes the call that starts a sub-agent. The input of the tool of Claude Code, which others adopted, is
 * `{description, prompt, subagent_type}`. agentao calls its tool `agent_<name>`, with `{task}`.
 */
export function subagentStart(title: string, rawInput: unknown): SubagentStart | undefined {
  const type = firstLineOf(rawInput, 'subagent_type');
  if (type !== undefined) return { name: type, task: firstLineOf(rawInput, 'description') };
  const name = /^agent_([\w-]+)$/.exec(title)?.[1];
  const task = firstLineOf(rawInput, 'task');
  return name === undefined || task === undefined ? undefined : { name, task };
}

/** Splits agentao's title of a call that a sub-agent makes: `[<name> 1/100] <tool>`. */
export function subagentCall(title: string): { readonly name: string; readonly tool: string } | undefined {
  const [, name, tool] = /^\[([^\]]+) \d+\/\d+\] (.+)$/s.exec(title) ?? [];
  return name === undefined || tool === undefined ? undefined : { name, tool };
}

function firstLineOf(value: unknown, name: string): string | undefined {
  const [line = ''] = (textMember(value, name) ?? '').trim().split('\n', 1);
  return stripControls(line).trim() || undefined;
}
