/** What happens in a conversation. A closed set: the reducer is a pure function of these, a recorded list replays to the same state. */
import type { ToolCaveat } from './agentHint.js';
import type { HostNotice } from './hostNotice.js';
import type {
  AgentWait,
  AvailableCommand,
  ContentBlock,
  MessageRole,
  Meta,
  NoticeSeverity,
  PlanEntry,
  QueuedPrompt,
  SessionOption,
  SessionUsage,
  ToolCallContent,
  ToolCallLocation,
  ToolExit,
  ToolKind,
  ToolStatus,
  TurnOutcome,
} from './model.js';
import type { UserAnswer, UserRequest } from './userRequest.js';

/** `loaded`: with the agent's replay; `resumed`: without one; `replacement`: a new one in place of one that the agent cannot resume. */
export const openedBy = ['new', 'loaded', 'resumed', 'replacement'] as const;
export type OpenedBy = (typeof openedBy)[number];

/** What is present changes, what is absent stays. `content` and `locations` replace the whole array. */
export interface ToolPatch {
  readonly title?: string;
  readonly toolKind?: ToolKind;
  readonly status?: ToolStatus;
  readonly content?: readonly ToolCallContent[];
  readonly locations?: readonly ToolCallLocation[];
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
  readonly exit?: ToolExit;
  readonly caveat?: ToolCaveat;
}

/** What an agent attached to its own words, for programs that know this agent. Handed on; neither read, shown nor saved. */
interface FromAgent {
  readonly meta?: Meta;
}

/** `at`: milliseconds since the epoch, taken where the event was received. */
export type SessionEvent =
  /** `continues`: the session of the same agent that this one goes on from, because the agent could not resume it. */
  | { readonly type: 'opened'; readonly at: number; readonly cwd: string; readonly by: OpenedBy; readonly continues?: string }
  /** `content`: the prompt, which becomes the user's message. Absent for a turn that the agent began by itself. */
  | { readonly type: 'turn_started'; readonly at: number; readonly turnId: string; readonly content?: readonly ContentBlock[] }
  /** The agent, or the host about it, explains why nothing happens; ends with `null`, with a sign of life, or with the turn. */
  | { readonly type: 'wait'; readonly at: number; readonly wait: AgentWait | null }
  | { readonly type: 'turn_cancelling'; readonly at: number; readonly turnId: string }
  | { readonly type: 'turn_ended'; readonly at: number; readonly turnId: string; readonly outcome: TurnOutcome }
  /** A chunk, appended to the open message of the same role and `messageId`; otherwise it opens a new one. */
  | ({
      readonly type: 'message';
      readonly at: number;
      readonly role: MessageRole;
      readonly messageId?: string;
      readonly content: ContentBlock;
    } & FromAgent)
  /** Upsert by `id`. The adapter made the id unique and resolved appends, so this only replaces. */
  | ({
      readonly type: 'tool';
      readonly at: number;
      readonly id: string;
      readonly toolCallId: string;
      readonly patch: ToolPatch;
      /** The host knows it, from a request of the agent or by itself: no update of the agent says it. */
      readonly origin?: 'host';
    } & FromAgent)
  | ({ readonly type: 'plan'; readonly at: number; readonly entries: readonly PlanEntry[] } & FromAgent)
  | ({ readonly type: 'commands'; readonly at: number; readonly commands: readonly AvailableCommand[] } & FromAgent)
  /** The whole list. */
  | ({ readonly type: 'options'; readonly at: number; readonly options: readonly SessionOption[] } & FromAgent)
  /** `title: null` clears. `updatedAt`: the agent's own, ISO 8601. */
  | ({ readonly type: 'info'; readonly at: number; readonly title?: string | null; readonly updatedAt?: string | null } & FromAgent)
  | ({ readonly type: 'usage'; readonly at: number; readonly usage: SessionUsage } & FromAgent)
  | ({
      readonly type: 'notice';
      readonly at: number;
      readonly severity: NoticeSeverity;
      readonly title: string;
      readonly description?: string;
    } & FromAgent)
  /** Something that the host itself has to say. */
  | ({ readonly type: 'host_notice'; readonly at: number; readonly severity: NoticeSeverity } & HostNotice)
  /** Upsert by `id`; `summary` replaces, `summaryChunk` appends. */
  | ({
      readonly type: 'compaction';
      readonly at: number;
      readonly id: string;
      readonly status?: string;
      readonly summary?: readonly ContentBlock[];
      readonly summaryChunk?: ContentBlock;
      readonly error?: string | null;
    } & FromAgent)
  /** Something of the agent that has no meaning here. Programs are handed it; it is neither shown nor saved. `kind`: the agent's word for it. */
  | { readonly type: 'extension'; readonly at: number; readonly kind: string; readonly payload: Meta }
  | { readonly type: 'request_opened'; readonly at: number; readonly request: UserRequest }
  | { readonly type: 'request_closed'; readonly at: number; readonly requestId: string; readonly answer: UserAnswer }
  | { readonly type: 'queued'; readonly at: number; readonly prompt: QueuedPrompt }
  | { readonly type: 'unqueued'; readonly at: number; readonly promptId: string };
