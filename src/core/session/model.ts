/**
 * What a conversation is, as data. Words are ACP's own (types of `@agentclientprotocol/sdk` 2.4.0, stable v1);
 * the shape is ACP v2's: everything is upserted by id, a turn's state is separate from its request.
 * All values are immutable: a change makes a new object, what did not change keeps its identity, and front ends rely on that.
 * Times are milliseconds since the epoch.
 */
import type {
  AvailableCommand,
  ContentBlock,
  Cost,
  PermissionOption,
  PlanEntry,
  SessionConfigOption,
  SessionMode,
  StopReason,
  ToolCallContent,
  ToolCallLocation,
  ToolKind,
} from '@agentclientprotocol/sdk';
import type { HostErrorData } from '../base/errors.js';
import type { UserRequest } from './userRequest.js';

export type {
  AvailableCommand,
  ContentBlock,
  Cost,
  PermissionOption,
  PlanEntry,
  SessionConfigOption,
  SessionMode,
  StopReason,
  ToolCallContent,
  ToolCallLocation,
  ToolKind,
};

/** ACP v1 knows no `cancelled` for a tool call: the host marks the unfinished ones of a turn that ended; a later real status wins. */
export type ToolStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled';

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
  /** What the host must say beside the agent's own words, e.g. that `completed` does not mean that an edit was made. */
  readonly caveat: string | undefined;
  readonly turnId: string | undefined;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
}

export interface NoticeItem {
  readonly kind: 'notice';
  readonly id: string;
  readonly severity: 'info' | 'warning' | 'error';
  readonly title: string;
  readonly description: string | undefined;
  readonly turnId: string | undefined;
  readonly at: number;
}

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

export type TurnOutcome =
  | {
      readonly type: 'ended';
      readonly stopReason: StopReason /** The agent showed nothing at all in this turn. */;
      readonly silent: boolean /** Tail of the agent's stderr, redacted; only where it may explain the outcome. */;
      readonly stderrTail?: string;
    }
  | { readonly type: 'failed'; readonly error: HostErrorData; readonly stderrTail?: string }
  /** The agent died under it. What was received stays. */
  | { readonly type: 'interrupted'; readonly error: HostErrorData; readonly stderrTail?: string };

/** Why a running turn shows nothing, where that is known. */
export type AgentWait =
  /** The agent tries its provider again, at `until`. `reason`: for people, e.g. "the provider answered 429". */
  | { readonly kind: 'retry'; readonly reason: string; readonly until: number }
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

export interface SessionModes {
  readonly currentModeId: string;
  readonly availableModes: readonly SessionMode[];
}

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
  /** The session of the same agent that this one goes on from, because the agent could not take it up. */
  readonly continues?: string;
  /** In the order in which things first appeared. */
  readonly items: readonly TranscriptItem[];
  /** Empty: no plan. */
  readonly plan: readonly PlanEntry[];
  readonly commands: readonly AvailableCommand[];
  readonly configOptions: readonly SessionConfigOption[];
  /** Absent where the agent has none or offers its modes as a config option. */
  readonly modes: SessionModes | undefined;
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
