/** What the host knows about an agent and adds to the agent's own text, as codes. `src/text` has the sentences. */

/** What the status of a tool call does not guarantee: that the file was changed, or that the command succeeded. */
export const toolCaveats = ['change_unconfirmed', 'exit_code_unreported'] as const;
export type ToolCaveat = (typeof toolCaveats)[number];

/** What a mode does beyond what its description says. */
export const modeHints = ['edits_without_asking', 'asks_instead_of_refusing'] as const;
export type ModeHint = (typeof modeHints)[number];

/**
 * What prevents an agent from acting without asking: a different mode, in which it asks or refuses, or an extension that it loads. `mode`
 * is the mode's value in the data about known agents, and its name in a notice.
 */
export type AskGate = { readonly by: 'mode'; readonly mode: string } | { readonly by: 'extension'; readonly file: string };

/** How to solve a failure that the agent itself causes. */
export interface FailureHint {
  readonly code: 'refuses_root';
  /** An environment variable that makes the agent run as root anyway, for example in a container. Absent if no such variable is known. */
  readonly params: { readonly variable?: string; readonly value?: string };
}

/** The scope of an agent's "always allow": every call of the tool in this session. */
export interface AlwaysScope {
  readonly code: 'session_tool';
  readonly params: { readonly tool: string };
}

/** What went wrong when the agent called its model provider. With `other`, `error` is the agent's own name for it. */
export const retryReasons = ['status', 'unreachable', 'timeout', 'broken_off', 'other'] as const;

export interface RetryReason {
  readonly code: (typeof retryReasons)[number];
  /** `attempt` is 1-based, and absent if the agent does not report it. */
  readonly params: { readonly attempt?: number; readonly attempts?: number; readonly status?: number; readonly error?: string };
}
