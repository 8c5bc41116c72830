/**
 * A conversation as data. It uses ACP's terms where ACP has one, with types of its own: everything is inserted or updated by id, and the
 * state of a turn is separate from its request. All values are immutable: a change creates a new object, and what did not change keeps its
 * identity, which front ends rely on. Times are in milliseconds since the epoch.
 */
import type { HostErrorData } from '../base/errors.js';
import type { RetryReason, ToolCaveat } from './agentHint.js';
import { codeTaskKinds } from './codeTask.js';
import type { ContentBlock, Meta, ToolCallContent, ToolCallLocation, ToolKind } from './content.js';
import type { HostNotice } from './hostNotice.js';
import type { SessionContext } from './sessionContext.js';
import type { SessionOption } from './sessionOption.js';
import type { UserRequest } from './userRequest.js';

export type * from './content.js';
export type { OptionChoice, OptionGroup, SelectOption, SessionOption, ToggleOption } from './sessionOption.js';

/** Why a turn ended regularly. */
export const stopReasons = ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled'] as const;
/** Why a turn ended regularly. */
export type StopReason = (typeof stopReasons)[number];

/** A step of the agent's plan. */
export interface PlanEntry {
  readonly content: string;
  readonly priority: 'high' | 'medium' | 'low';
  readonly status: 'pending' | 'in_progress' | 'completed';
  readonly _meta?: Meta | null;
}

/** A plan that is being followed. Agents may have several, with ids. */
export interface Plan {
  readonly planId?: string;
  /** Empty for a plan in Markdown. */
  readonly entries: readonly PlanEntry[];
  /** The item that shows the plan in Markdown. */
  readonly itemId?: string;
}

/** A slash command of the agent, or one that the host adds. */
export interface AvailableCommand {
  readonly name: string;
  /** Which command of the host it is; its `description` is empty then. */
  readonly host?: HostCommand;
  readonly description: string;
  /** `hint` describes what may follow the name. */
  readonly input?: { readonly hint: string } | null;
  readonly _meta?: Meta | null;
}

export interface Cost {
  readonly amount: number;
  /** ISO 4217. */
  readonly currency: string;
}

/**
 * The host sets the last three: `cancelled` if the turn was canceled, `unreported` if the turn ended otherwise without reporting the end of
 * the tool call, `rejected` if the user did not permit it. An end that the agent reports later wins, except that a canceled tool call does
 * not become `failed`, and a rejected one not `completed` unless the agent reports how its command ended.
 */
export const toolStatuses = ['pending', 'in_progress', 'completed', 'failed', 'cancelled', 'unreported', 'rejected'] as const;
/** The state of a tool call. */
export type ToolStatus = (typeof toolStatuses)[number];

export function isFinal(status: ToolStatus): boolean {
  return status !== 'pending' && status !== 'in_progress';
}

/** How a command ended. */
export interface ToolExit {
  readonly code?: number;
  /** Name of the signal that ended the command. */
  readonly signal?: string;
}

export const noticeSeverities = ['info', 'warning', 'error'] as const;
/** How serious a notice is. */
export type NoticeSeverity = (typeof noticeSeverities)[number];

/** The author of a message; `thought` is the agent's reasoning. */
export type MessageRole = 'user' | 'agent' | 'thought';

/** A message in the transcript, or the part of one between two tool calls. */
export interface MessageItem {
  readonly kind: 'message';
  readonly id: string;
  readonly role: MessageRole;
  /** The agent's own id, which it may use again in another turn. */
  readonly messageId?: string;
  /** The id of the item that has the part before: the agent called a tool in the middle of this message. */
  readonly continues?: string;
  /** Adjacent text blocks are merged into one; other blocks stay where they arrived. The agent's text is Markdown. */
  readonly content: readonly ContentBlock[];
  readonly turnId: string | undefined;
  /** Said in the session of this sub-agent. */
  readonly subagentId?: string;
  /** The prompt that became this message of the user. */
  readonly promptId?: string;
  readonly startedAt: number;
  readonly updatedAt: number;
  /** Still growing: later chunks may be appended. */
  readonly open: boolean;
}

/** A tool call in the transcript. */
export interface ToolItem {
  readonly kind: 'tool';
  /** Unique in the session, even if an agent reuses a `toolCallId`. */
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
  /** How a command ended, if the agent reports it. A command that exited with a nonzero code may still be `completed`. */
  readonly exit: ToolExit | undefined;
  /** What the host has to add to the agent's text, for example that `completed` does not mean that the file was changed. */
  readonly caveat: ToolCaveat | undefined;
  readonly turnId: string | undefined;
  /** Called by this sub-agent. */
  readonly subagentId?: string;
  /** The sub-agent that the call started. */
  readonly starts?: string;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  /** How long it has waited for the user so far, in milliseconds. This is not the tool's own time. */
  readonly waitedMs?: number;
  /** Since when it has been waiting for the user. */
  readonly waitsSince?: number;
}

interface NoticeBase {
  readonly kind: 'notice';
  readonly id: string;
  readonly severity: NoticeSeverity;
  readonly turnId: string | undefined;
  readonly subagentId?: string;
  readonly at: number;
}

/** The agent's own text. */
export interface AgentNotice {
  readonly title: string;
  readonly description: string | undefined;
}

/** The host's own notices are codes. */
export type NoticeItem = NoticeBase & (AgentNotice | HostNotice);

/** A compaction of the agent's context, inserted or updated by id. */
export interface CompactionItem {
  readonly kind: 'compaction';
  readonly id: string;
  readonly status: string;
  readonly summary: readonly ContentBlock[];
  readonly error: string | undefined;
  readonly at: number;
}

/** The line below a finished turn. */
export interface TurnEndItem {
  readonly kind: 'turn_end';
  readonly id: string;
  readonly turnId: string;
  readonly outcome: TurnOutcome;
  readonly startedAt: number;
  readonly at: number;
  /** How much of the time the agent waited for the user, in milliseconds; absent if it asked nothing. */
  readonly waitedMs?: number;
}

/** A plan in Markdown. */
export interface PlanText {
  readonly markdown: string;
  /** Absolute: the file that the agent keeps the plan in. The text is complete without it. */
  readonly path?: string;
}

/** A plan in Markdown, as it was in one turn. */
export interface PlanItem {
  readonly kind: 'plan';
  readonly id: string;
  /** The agent's own id. */
  readonly planId: string | undefined;
  readonly text: PlanText;
  /** The agent removed the plan. */
  readonly isRemoved: boolean;
  readonly turnId: string | undefined;
  readonly subagentId?: string;
  readonly at: number;
}

/**
 * The host sets the last one, if the agent is gone or its history does not say how the sub-agent ended. `unknown`: the agent does not say
 * whether it works. `idle` is no end: it may be given more to do.
 */
export const subagentStatuses = ['unknown', 'running', 'requires_action', 'idle', 'cancelled', 'failed', 'unreported'] as const;
export type SubagentStatus = (typeof subagentStatuses)[number];

/** What is known about a sub-agent. */
export interface SubagentFacts {
  /** The agent's own text, and empty if it has none. */
  readonly title: string;
  readonly description?: string;
  /** What it was told to do; cut if it is long. */
  readonly task?: string;
  readonly status: SubagentStatus;
  /** Why it failed, in the agent's own words. */
  readonly error?: string;
  /** It can be stopped by itself. */
  readonly canStop: boolean;
}

/** A sub-agent, whose items name it as their `subagentId`. They follow it, with others in between. */
export interface SubagentItem extends SubagentFacts {
  readonly kind: 'subagent';
  /** `subagentItemId(agentId)`. */
  readonly id: string;
  /** Unique in the session. */
  readonly agentId: string;
  /** The sub-agent that started it; absent: the agent itself. */
  readonly subagentId?: string;
  readonly turnId: string | undefined;
  /** How many tool calls it made. */
  readonly tools: number;
  readonly startedAt: number;
  /** Since when it works; absent: it does not. */
  readonly worksSince?: number;
  /** How long it worked before, in milliseconds. */
  readonly workedMs: number;
}

/** One item of the transcript, by its kind. */
export type TranscriptItem = MessageItem | ToolItem | NoticeItem | CompactionItem | PlanItem | SubagentItem | TurnEndItem;

/** Whether it is what the user said. */
export function isPrompt(item: TranscriptItem): item is MessageItem & { readonly role: 'user' } {
  return item.kind === 'message' && item.role === 'user';
}

/** Whether the last turn was interrupted, and nothing followed. */
export function isInterrupted({ turn, items }: Pick<SessionState, 'turn' | 'items'>): boolean {
  const last = items.at(-1);
  return turn.type === 'idle' && last?.kind === 'turn_end' && last.outcome.type === 'interrupted';
}

/** The tokens of one turn, as counted by the agent. */
export interface TurnUsage {
  readonly totalTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly thoughtTokens?: number;
  readonly cachedReadTokens?: number;
  readonly cachedWriteTokens?: number;
}

/** How a turn ended. */
export type TurnOutcome =
  | {
      readonly type: 'ended';
      readonly stopReason: StopReason;
      /** The agent showed nothing at all in this turn. */
      readonly silent: boolean;
      /** The last lines of the agent's stderr, redacted. Present only if they may explain the outcome. */
      readonly stderrTail?: string;
      /** Present only if the agent reports it. */
      readonly usage?: TurnUsage;
    }
  | { readonly type: 'failed'; readonly error: HostErrorData; readonly stderrTail?: string }
  /** The agent exited during the turn. What had arrived stays. */
  | { readonly type: 'interrupted'; readonly error: HostErrorData; readonly stderrTail?: string };

/** Why a running turn shows nothing, if that is known. */
export type AgentWait =
  /** The agent will try its provider again at `until`. */
  | { readonly kind: 'retry'; readonly reason: RetryReason; readonly until: number }
  /** The agent does not read its input. */
  | { readonly kind: 'not_reading'; readonly queuedBytes: number };

interface TurnUnderWay {
  readonly turnId: string;
  readonly startedAt: number;
  /** The last sign of life of the agent in this turn. */
  readonly lastEventAt: number;
  readonly wait?: AgentWait;
  /** Since when the agent waits for the user, while it does. */
  readonly asksSince?: number;
  /** How long it waited for the user before, in milliseconds. */
  readonly waitedMs?: number;
}

/** Whether a turn is running. */
export type TurnState =
  | { readonly type: 'idle' }
  | ({ readonly type: 'running' } & TurnUnderWay)
  | ({ readonly type: 'cancelling'; readonly since: number } & TurnUnderWay);

/** The size of the context and the cost of the session, as the agent reports them. */
export interface SessionUsage {
  /** Tokens in the context. */
  readonly used: number;
  /** Size of the context window in tokens. */
  readonly size: number;
  readonly cost: Cost | undefined;
}

/** Which session a new one continues, and what the agent knows of it. */
export interface SessionOrigin {
  /** The session of the same agent that this one continues, because the agent could not resume it, or because the user went back in it. */
  readonly continues?: string;
  /** `made`: the agent forked that session. Otherwise, why it could not. Absent if it was not asked to. */
  readonly fork?: 'made' | HostErrorData;
}

/** A session as data: the result of reducing its events. */
export interface SessionState extends SessionOrigin {
  /** Made by the host, unique for ever. */
  readonly id: string;
  /** The agent's id, which some agents give to several sessions. */
  readonly sessionId: string;
  readonly cwd: string;
  readonly title: string | undefined;
  readonly createdAt: number;
  /** In the order in which they first appeared. */
  readonly items: readonly TranscriptItem[];
  /** In the order in which they first appeared. */
  readonly plans: readonly Plan[];
  readonly commands: readonly AvailableCommand[];
  /** What the user can set, in the agent's order; modes come first. */
  readonly options: readonly SessionOption[];
  readonly usage: SessionUsage | undefined;
  /** Absent: the agent was given nothing besides its folder. */
  readonly context?: SessionContext;
  readonly turn: TurnState;
  /** The agent's open requests to the user, oldest first. No other readable copy exists. */
  readonly requests: readonly UserRequest[];
  /** Prompts that wait for the end of the running turn, oldest first. */
  readonly queue: readonly QueuedPrompt[];
}

/**
 * A prompt that waits in the agent for the end of its turn. `id` is that of the conversation, or a new one if the agent has the prompt from
 * elsewhere; `at` is in milliseconds since the epoch.
 */
export interface QueuedPrompt {
  readonly id: string;
  readonly content: readonly ContentBlock[];
  readonly at: number;
}

// Slash commands that the host adds for what a protocol can do besides prompts, if the agent has no command for it.

/** `src/text` describes them. */
export const hostCommands = [
  'compact',
  'fork',
  'clone',
  'name',
  'export',
  'stats',
  'last',
  'bash',
  'clear-context',
  'regenerate',
  ...codeTaskKinds,
] as const;
/** The name of a slash command that the host adds to those of the agent. */
export type HostCommand = (typeof hostCommands)[number];

/** @param hint what may follow the name; empty: nothing */
export function hostCommand(name: HostCommand, hint = ''): AvailableCommand {
  return { name, host: name, description: '', ...(hint !== '' && { input: { hint } }) };
}
