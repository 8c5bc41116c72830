/**
 * What a conversation is, as data. The words are ACP's where it has one, the types are ours: everything is upserted by id, and a turn's
 * state is separate from its request. All values are immutable: a change makes a new object, what did not change keeps its identity, and
 * front ends rely on that. Times are milliseconds since the epoch.
 */
import type { HostErrorData } from '../base/errors.js';
import type { ContentBlock, Meta, ToolCallContent, ToolCallLocation, ToolKind } from './content.js';
import type { HostNotice } from './hostNotice.js';
import type { RetryReason, ToolCaveat } from './agentHint.js';
import type { SessionOption } from './sessionOption.js';
import type { UserRequest } from './userRequest.js';

export type * from './content.js';
export type { OptionChoice, OptionGroup, SelectOption, SessionOption, ToggleOption } from './sessionOption.js';

/** Why a turn ended that ended as it should. */
export const stopReasons = ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled'] as const;
export type StopReason = (typeof stopReasons)[number];

export interface PlanEntry {
  readonly content: string;
  readonly priority: 'high' | 'medium' | 'low';
  readonly status: 'pending' | 'in_progress' | 'completed';
  readonly _meta?: Meta | null;
}

/** A slash command of the agent. */
export interface AvailableCommand {
  readonly name: string;
  readonly description: string;
  /** `hint`: what may follow the name. */
  readonly input?: { readonly hint: string } | null;
  readonly _meta?: Meta | null;
}

export interface Cost {
  readonly amount: number;
  /** ISO 4217. */
  readonly currency: string;
}

/**
 * The last three are the host's own: `cancelled` for what a turn left open that was cancelled, `unreported` for what one left open that ended
 * otherwise, `rejected` for what the user did not permit. A later real end wins, but that what was stopped failed is no news.
 */
export const toolStatuses = ['pending', 'in_progress', 'completed', 'failed', 'cancelled', 'unreported', 'rejected'] as const;
export type ToolStatus = (typeof toolStatuses)[number];

/** How a command ended. */
export interface ToolExit {
  readonly code?: number;
  /** Name of the signal that ended it. */
  readonly signal?: string;
}

export const noticeSeverities = ['info', 'warning', 'error'] as const;
export type NoticeSeverity = (typeof noticeSeverities)[number];

export type MessageRole = 'user' | 'agent' | 'thought';

export interface MessageItem {
  readonly kind: 'message';
  readonly id: string;
  readonly role: MessageRole;
  /** Neighbouring text blocks are one block; other blocks stand where they came. Agent text is markdown. */
  readonly content: readonly ContentBlock[];
  readonly turnId: string | undefined;
  readonly startedAt: number;
  readonly updatedAt: number;
  /** Still growing: a later chunk may be appended. */
  readonly open: boolean;
}

export interface ToolItem {
  readonly kind: 'tool';
  /** Unique in the session, also where an agent reuses its `toolCallId`s. */
  readonly id: string;
  /** The agent's own id. */
  readonly toolCallId: string;
  readonly title: string;
  readonly toolKind: ToolKind;
  readonly status: ToolStatus;
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly ToolCallLocation[];
  readonly rawInput: unknown;
  readonly rawOutput: unknown;
  /** Of a command, where the agent tells it; one that exited with another code than 0 may be `completed` all the same. */
  readonly exit: ToolExit | undefined;
  /** What the host must say beside the agent's own words, e.g. that `completed` does not mean that an edit was made. */
  readonly caveat: ToolCaveat | undefined;
  readonly turnId: string | undefined;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  /** How long it waited for the user until now, in milliseconds: that is not its own time. */
  readonly waitedMs?: number;
  /** Since when it waits for the user. */
  readonly waitsSince?: number;
}

interface NoticeBase {
  readonly kind: 'notice';
  readonly id: string;
  readonly severity: NoticeSeverity;
  readonly turnId: string | undefined;
  readonly at: number;
}

/** The agent's own words. */
export interface AgentNotice {
  readonly title: string;
  readonly description: string | undefined;
}

/** What the host says of itself is a code. */
export type NoticeItem = NoticeBase & (AgentNotice | HostNotice);

/** A compaction of the agent's context, upserted by id. */
export interface CompactionItem {
  readonly kind: 'compaction';
  readonly id: string;
  readonly status: string;
  readonly summary: readonly ContentBlock[];
  readonly error: string | undefined;
  readonly at: number;
}

/** The line under a finished turn. */
export interface TurnEndItem {
  readonly kind: 'turn_end';
  readonly id: string;
  readonly turnId: string;
  readonly outcome: TurnOutcome;
  readonly startedAt: number;
  readonly at: number;
}

export type TranscriptItem = MessageItem | ToolItem | NoticeItem | CompactionItem | TurnEndItem;

/** Tokens of one turn, as the agent counts them. */
export interface TurnUsage {
  readonly totalTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly thoughtTokens?: number;
  readonly cachedReadTokens?: number;
  readonly cachedWriteTokens?: number;
}

export type TurnOutcome =
  | {
      readonly type: 'ended';
      readonly stopReason: StopReason;
      /** The agent showed nothing at all in this turn. */
      readonly silent: boolean;
      /** Tail of the agent's stderr, redacted; only where it may explain the outcome. */
      readonly stderrTail?: string;
      /** Only where the agent tells it. */
      readonly usage?: TurnUsage;
    }
  | { readonly type: 'failed'; readonly error: HostErrorData; readonly stderrTail?: string }
  /** The agent died under it. What was received stays. */
  | { readonly type: 'interrupted'; readonly error: HostErrorData; readonly stderrTail?: string };

/** Why a running turn shows nothing, where that is known. */
export type AgentWait =
  /** The agent tries its provider again, at `until`. */
  | { readonly kind: 'retry'; readonly reason: RetryReason; readonly until: number }
  /** The agent does not read what the host writes. */
  | { readonly kind: 'not_reading'; readonly queuedBytes: number };

interface TurnUnderWay {
  readonly turnId: string;
  readonly startedAt: number;
  /** Last sign of life of the agent in this turn. */
  readonly lastEventAt: number;
  readonly wait?: AgentWait;
}

export type TurnState =
  | { readonly type: 'idle' }
  | ({ readonly type: 'running' } & TurnUnderWay)
  | ({ readonly type: 'cancelling'; readonly since: number } & TurnUnderWay);

export interface SessionUsage {
  /** Tokens in the context. */
  readonly used: number;
  /** Size of the context window in tokens. */
  readonly size: number;
  readonly cost: Cost | undefined;
}

export interface SessionState {
  readonly sessionId: string;
  readonly cwd: string;
  readonly title: string | undefined;
  readonly createdAt: number;
  /** The session of the same agent that this one goes on from, because the agent could not resume it. */
  readonly continues?: string;
  /** In the order in which things first appeared. */
  readonly items: readonly TranscriptItem[];
  /** Empty: no plan. */
  readonly plan: readonly PlanEntry[];
  readonly commands: readonly AvailableCommand[];
  /** What the user can set, in the agent's order; its modes come first. */
  readonly options: readonly SessionOption[];
  readonly usage: SessionUsage | undefined;
  readonly turn: TurnState;
  /** Open requests of the agent to its user, oldest first. The only copy that can be read. */
  readonly requests: readonly UserRequest[];
  /** Prompts that wait for the running turn to end, oldest first. */
  readonly queue: readonly QueuedPrompt[];
}

export interface QueuedPrompt {
  readonly id: string;
  readonly content: readonly ContentBlock[];
  readonly at: number;
}
