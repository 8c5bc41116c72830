/** What happens in a conversation. A closed set: the reducer is a pure function of these, a recorded list replays to the same state. */
import type {
  AgentWait,
  AvailableCommand,
  ContentBlock,
  MessageRole,
  PlanEntry,
  QueuedPrompt,
  SessionConfigOption,
  SessionModes,
  SessionUsage,
  ToolCallContent,
  ToolCallLocation,
  ToolKind,
  ToolStatus,
  TurnOutcome,
} from './model.js';
import type { UserAnswer, UserRequest } from './userRequest.js';

/** `loaded`: with the agent's replay; `resumed`: without one; `fresh`: a new one in place of one that the agent cannot take up. */
export type OpenedBy = 'new' | 'loaded' | 'resumed' | 'fresh';

/** What is present changes, what is absent stays. `content` and `locations` replace the whole array. */
export interface ToolPatch {
  readonly title?: string;
  readonly toolKind?: ToolKind;
  readonly status?: ToolStatus;
  readonly content?: readonly ToolCallContent[];
  readonly locations?: readonly ToolCallLocation[];
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
  readonly caveat?: string;
}

/** `at`: milliseconds since the epoch, taken where the event was received. */
export type SessionEvent =
  /** `continues`: the session of the same agent that this one goes on from, because the agent could not take it up. */
  | { readonly type: 'opened'; readonly at: number; readonly cwd: string; readonly how: OpenedBy; readonly continues?: string }
  /** `content`: the prompt, which becomes the user's message. Absent for a turn that the agent began by itself. */
  | { readonly type: 'turn_started'; readonly at: number; readonly turnId: string; readonly content?: readonly ContentBlock[] }
  /** The agent, or the host about it, explains why nothing happens; ends with `null`, with a sign of life, or with the turn. */
  | { readonly type: 'wait'; readonly at: number; readonly wait: AgentWait | null }
  | { readonly type: 'turn_cancelling'; readonly at: number; readonly turnId: string }
  | { readonly type: 'turn_ended'; readonly at: number; readonly turnId: string; readonly outcome: TurnOutcome }
  /** A chunk, appended to the open message of the same role and `messageId`; otherwise it opens a new one. */
  | {
      readonly type: 'message';
      readonly at: number;
      readonly role: MessageRole;
      readonly messageId?: string;
      readonly content: ContentBlock;
    }
  /** Upsert by `id`. The adapter made the id unique and resolved appends, so this only replaces. */
  | { readonly type: 'tool'; readonly at: number; readonly id: string; readonly toolCallId: string; readonly patch: ToolPatch }
  | { readonly type: 'plan'; readonly at: number; readonly entries: readonly PlanEntry[] }
  | { readonly type: 'commands'; readonly at: number; readonly commands: readonly AvailableCommand[] }
  | { readonly type: 'config_options'; readonly at: number; readonly configOptions: readonly SessionConfigOption[] }
  | { readonly type: 'modes'; readonly at: number; readonly modes: SessionModes }
  | { readonly type: 'mode'; readonly at: number; readonly currentModeId: string }
  /** `title: null` clears. */
  | { readonly type: 'info'; readonly at: number; readonly title?: string | null }
  | { readonly type: 'usage'; readonly at: number; readonly usage: SessionUsage }
  | {
      readonly type: 'notice';
      readonly at: number;
      readonly severity: 'info' | 'warning' | 'error';
      readonly title: string;
      readonly description?: string;
    }
  /** Upsert by `id`; `summary` replaces, `summaryChunk` appends. */
  | {
      readonly type: 'compaction';
      readonly at: number;
      readonly id: string;
      readonly status?: string;
      readonly summary?: readonly ContentBlock[];
      readonly summaryChunk?: ContentBlock;
      readonly error?: string | null;
    }
  | { readonly type: 'request_opened'; readonly at: number; readonly request: UserRequest }
  | { readonly type: 'request_closed'; readonly at: number; readonly requestId: string; readonly answer: UserAnswer }
  | { readonly type: 'queued'; readonly at: number; readonly prompt: QueuedPrompt }
  | { readonly type: 'unqueued'; readonly at: number; readonly promptId: string };
