import type { HostErrorData } from '../base/errors.js';
import type { AskGate } from './agentHint.js';
import type { ToolKind } from './content.js';
import type { LeftOutServer } from './sessionContext.js';
import type { CloseReason } from './userRequest.js';

/** An option whose value differs from what the user had set. */
export interface UnrestoredOption {
  readonly name: string;
  /** For a choice, its name. */
  readonly value: string | boolean;
  /** Why the agent refused the value; absent if the agent no longer offers the option. */
  readonly error?: HostErrorData;
}

/**
 * `disk`: it accepted no data; `pace`: events arrived faster than the disk accepted them; `unclaimed`: they arrived before the agent had
 * named their session.
 */
export const missingCauses = ['disk', 'pace', 'unclaimed'] as const;
export type MissingCause = (typeof missingCauses)[number];

/** What the host itself says in a conversation, by code. The set is closed: `src/text` has a sentence for each code. */
export interface HostNotices {
  /** Times are in milliseconds since the epoch. An absent cause means `disk`. */
  readonly events_missing: { readonly since: number; readonly until: number; readonly events: number; readonly cause?: MissingCause };
  /** Removed from the disk, because the conversation exceeded the size limit. */
  readonly beginning_removed: { readonly bytes: number };
  /** Output of tools that was removed for the same reason. It is removed before any messages are. */
  readonly tool_output_removed: { readonly bytes: number };
  /** Somebody removed or cut the file while the conversation was in use. */
  readonly part_removed: Readonly<Record<never, never>>;
  readonly settings_not_restored: { readonly options: readonly UnrestoredOption[] };
  /** The agent remembers the conversation without its last prompts; `since` is the first of them. */
  readonly recall_tail_lost: { readonly prompts: number; readonly since: string };
  /** Every entry of the agent's plan is completed, and the plan is no longer shown. The entries are the agent's own text. */
  readonly plan_finished: { readonly entries: readonly string[] };
  readonly recall_other_conversation: Readonly<Record<never, never>>;
  readonly recall_nothing_told: Readonly<Record<never, never>>;
  /**
   * The agent did something without asking, in a session in which it has never asked. Users cannot refuse what they are not asked for.
   * `title` is the title of the first such tool call.
   */
  readonly agent_acted_unasked: { readonly act: UnaskedAct; readonly title: string; readonly gate?: AskGate };
  /** The agent can't reach these MCP servers: it has no transport for them. */
  readonly mcp_servers_left_out: { readonly names: readonly string[] };
  /** These MCP servers could not be given to the agent, whatever it supports. */
  readonly mcp_servers_invalid: { readonly leftOut: readonly LeftOutServer[] };
  /** The agent takes no instructions, so it does not have those of the user. */
  readonly system_prompt_left_out: Readonly<Record<never, never>>;
  /** Anyone who can reach the server can use it. */
  readonly server_unauthenticated: Readonly<Record<never, never>>;
  /** The agent knows nothing about earlier prompts: each prompt stands alone. */
  readonly agent_keeps_no_context: Readonly<Record<never, never>>;
  /** After an approved tool call, the server refused to continue. It may be running the call. `detail` is the server's own text. */
  readonly continue_refused: { readonly detail: string };
  /** The agent created another session from this one, which can be opened next to it. */
  readonly session_made: { readonly sessionId: string };
  /** Something that the agent sent during a turn could not be read; how many messages or lines. */
  readonly messages_unread: { readonly messages: number };
  readonly agent_hangs_after_sleep: Readonly<Record<never, never>>;
  /** `request` is the agent's own text for the request. */
  readonly request_closed_unanswered: { readonly request: string; readonly why: UnansweredReason };
}

/** The kinds of tools with effects that a user may want to refuse. */
export const unaskedActs = ['execute', 'edit', 'delete', 'move'] as const satisfies readonly ToolKind[];
export type UnaskedAct = (typeof unaskedActs)[number];

/** The reasons that nothing else in the transcript shows. */
export const unansweredReasons = ['deadline', 'agent_gone', 'no_options'] as const satisfies readonly CloseReason[];
export type UnansweredReason = (typeof unansweredReasons)[number];

/** The code of a notice; `text` has its sentence. */
export type HostNoticeCode = keyof HostNotices;

/** A notice of the host in the conversation: a code with its params. */
export type HostNotice = { readonly [C in HostNoticeCode]: { readonly code: C; readonly params: HostNotices[C] } }[HostNoticeCode];
