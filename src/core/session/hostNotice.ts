import type { HostErrorData } from '../base/errors.js';
import type { AskGate } from './agentHint.js';
import type { ToolKind } from './content.js';
import type { CloseReason } from './userRequest.js';

/** A file of the conversation that the journal left as it is. `newer`: a newer version of this host wrote it; `foreign`: somebody else did. */
export type LeftAlone =
  | { readonly path: string; readonly why: 'newer'; readonly version: number; readonly knownVersion: number }
  | { readonly path: string; readonly why: 'foreign' };

/** An option that is not as the user had set it. */
export interface UnrestoredOption {
  readonly name: string;
  /** Of a choice: its name. */
  readonly value: string | boolean;
  /** Why the agent refused it; absent where it is not offered any more. */
  readonly error?: HostErrorData;
}

/** `disk`: it took nothing; `pace`: they came faster than it took them; `unclaimed`: they came before the agent had named their session. */
export const missingCauses = ['disk', 'pace', 'unclaimed'] as const;
export type MissingCause = (typeof missingCauses)[number];

/** What the host itself has to say in a conversation, by its code. Closed: `src/text` has words for each. */
export interface HostNotices {
  /** Milliseconds since the epoch. Without a cause: `disk`. */
  readonly events_missing: { readonly since: number; readonly until: number; readonly events: number; readonly cause?: MissingCause };
  /** Removed from the disk, because the conversation takes more room than one may. */
  readonly beginning_removed: { readonly bytes: number };
  /** Of the output of tools, for the same reason: before any of the words. */
  readonly tool_output_removed: { readonly bytes: number };
  readonly part_removed: Readonly<Record<never, never>>;
  readonly part_unreadable: LeftAlone;
  readonly settings_not_restored: { readonly options: readonly UnrestoredOption[] };
  /** The agent remembers the conversation without its last prompts, of which `since` is the first. */
  readonly recall_tail_lost: { readonly prompts: number; readonly since: string };
  /** Every entry of the agent's plan is done, and the plan is gone from sight. In the agent's words. */
  readonly plan_finished: { readonly entries: readonly string[] };
  readonly recall_other_conversation: Readonly<Record<never, never>>;
  readonly recall_nothing_told: Readonly<Record<never, never>>;
  /** Said by earlier versions, before the first turn of agents that were known for it. */
  readonly agent_never_asks: Readonly<Record<never, never>>;
  readonly agent_runs_commands_unasked: Readonly<Record<never, never>>;
  /** It did something without asking, in a session in which it has never asked: what is not asked for cannot be refused. `title`: the first such tool call. */
  readonly agent_acted_unasked: { readonly act: UnaskedAct; readonly title: string; readonly gate?: AskGate };
  /** Whoever can reach the server can use it. */
  readonly server_unauthenticated: Readonly<Record<never, never>>;
  /** It knows nothing of earlier prompts: each stands alone. */
  readonly agent_keeps_no_context: Readonly<Record<never, never>>;
  /** The agent made another session out of this one, which can be opened beside it. */
  readonly session_made: { readonly sessionId: string };
  readonly agent_hangs_after_sleep: Readonly<Record<never, never>>;
  /** `request`: the agent's own words for it. */
  readonly request_closed_unanswered: { readonly request: string; readonly why: UnansweredReason };
}

/** The kinds of tools that do something which a person may want to refuse. */
export const unaskedActs = ['execute', 'edit', 'delete', 'move'] as const satisfies readonly ToolKind[];
export type UnaskedAct = (typeof unaskedActs)[number];

/** Where nothing else in the transcript says why a request went. */
export const unansweredReasons = ['deadline', 'agent_gone'] as const satisfies readonly CloseReason[];
export type UnansweredReason = (typeof unansweredReasons)[number];

export type HostNoticeCode = keyof HostNotices;

export type HostNotice = { readonly [C in HostNoticeCode]: { readonly code: C; readonly params: HostNotices[C] } }[HostNoticeCode];
