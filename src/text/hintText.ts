/** What the host knows about an agent and adds to the agent's own text. */
import type { AgentWait, AlwaysScope, ModeHint, OptionChoice, RetryReason, ToolCaveat, ToolExit } from '../core/index.js';
import { sentences } from './sentence.js';

const caveats: Readonly<Record<ToolCaveat, (agent: string) => string>> = {
  change_unconfirmed: (agent) => `${agent} doesn't report whether the file was changed. Check the file.`,
  exit_code_unreported: (agent) => `${agent} doesn't report the exit code. Check the output.`,
};

/** @param agent the agent's name for users, as in every function here */
export function caveatText(caveat: ToolCaveat, agent: string): string {
  return caveats[caveat](agent);
}

/** Returns the text next to a command; undefined if the command succeeded or its end is unknown. */
export function exitText({ code, signal }: ToolExit): string | undefined {
  if (signal !== undefined) return `terminated by ${signal}`;
  return code === undefined || code === 0 ? undefined : `exit code ${code}`;
}

const hints: Readonly<Record<ModeHint, (agent: string) => string>> = {
  edits_without_asking: () => 'Writes files in the folder without asking.',
  asks_instead_of_refusing: (agent) => `This version of ${agent} asks before writes and commands instead of refusing them.`,
};

/** Returns the agent's own description, with what the host adds to it. */
export function choiceDescription({ description = '', hint }: OptionChoice, agent: string): string | undefined {
  const text = sentences(description, hint === undefined ? '' : hints[hint](agent));
  return text === '' ? undefined : text;
}

/** Returns the object of "Always allow". */
export function alwaysScopeText({ params: { tool } }: AlwaysScope): string {
  return `for this session: any ${tool}`;
}

const retries: Readonly<Record<RetryReason['code'], (params: RetryReason['params']) => string>> = {
  status: ({ status }) => `the provider returned ${status}`,
  unreachable: () => 'the provider is unreachable',
  timeout: () => 'the provider did not respond in time',
  broken_off: () => "the provider's response was cut off",
  other: ({ error }) => `the call to the provider failed (${error})`,
};

/** Returns a part of a sentence. */
export function retryText({ code, params }: RetryReason): string {
  const { attempt, attempts } = params;
  const which = attempt === undefined ? '' : `, attempt ${attempt}${attempts === undefined ? '' : ` of ${attempts}`}`;
  return `${retries[code](params)}${which}`;
}

/**
 * Returns a sentence that says why a working agent shows nothing.
 * @param now milliseconds since the epoch
 */
export function waitText(wait: AgentWait, agent: string, now: number): string {
  if (wait.kind === 'not_reading') return `${agent} isn't reading input: ${Math.max(1, Math.round(wait.queuedBytes / 1024))} KB queued.`;
  const seconds = Math.ceil((wait.until - now) / 1000);
  return `${agent} is retrying its provider${seconds > 0 ? ` in ${seconds} s` : ''} (${retryText(wait.reason)}).`;
}
