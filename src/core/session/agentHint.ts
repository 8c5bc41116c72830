/** What the host knows of an agent and says beside the agent's own words, as codes. `src/text` has the words. */

/** What the status of a tool call does not mean: that the file was changed, that the command succeeded. */
export const toolCaveats = ['change_unconfirmed', 'exit_code_unreported'] as const;
export type ToolCaveat = (typeof toolCaveats)[number];

/** What a mode means beyond its description. */
export const modeHints = ['edits_without_asking', 'asks_instead_of_refusing'] as const;
export type ModeHint = (typeof modeHints)[number];

/**
 * What keeps an agent from acting unasked: another of its modes, in which it asks or refuses, or an extension that is loaded into it.
 * `mode`: its value in what is known of an agent, its name in a notice.
 */
export type AskGate = { readonly by: 'mode'; readonly mode: string } | { readonly by: 'extension'; readonly file: string };

/** What helps against a failure of the agent's own making. */
export interface FailureHint {
  readonly code: 'refuses_root';
  /** Set in the agent's environment, this makes it run as root all the same, as it may in a container. Absent where no such variable is known. */
  readonly params: { readonly variable?: string; readonly value?: string };
}

/** How far an agent's "always" reaches: in this session, every call of the tool. */
export interface AlwaysScope {
  readonly code: 'session_tool';
  readonly params: { readonly tool: string };
}

/** What went wrong with the agent's call of its model provider. `other`: `error` is the agent's name for it. */
export const retryReasons = ['status', 'unreachable', 'timeout', 'broken_off', 'other'] as const;

export interface RetryReason {
  readonly code: (typeof retryReasons)[number];
  /** `attempt` is 1-based; absent where the agent does not tell it. */
  readonly params: { readonly attempt?: number; readonly attempts?: number; readonly status?: number; readonly error?: string };
}
