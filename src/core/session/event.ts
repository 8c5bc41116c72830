/**
 * Everything that can happen in a conversation. The set is closed: the reducer is a pure function of these events, so a recorded list
 * replays to the same state.
 */
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
  PlanText,
  QueuedPrompt,
  SessionOption,
  SessionOrigin,
  SessionUsage,
  SubagentFacts,
  ToolCallContent,
  ToolCallLocation,
  ToolExit,
  ToolKind,
  ToolStatus,
  TurnOutcome,
} from './model.js';
import type { SessionContext } from './sessionContext.js';
import type { UserAnswer, UserRequest } from './userRequest.js';

/**
 * `loaded`: the agent replayed the history; `resumed`: it did not; `replacement`: a new session in place of one that the agent cannot
 * resume; `forked`: the agent made it from another one, and knows what was said there until the fork.
 */
export const openedBy = ['new', 'loaded', 'resumed', 'replacement', 'forked'] as const;
/** How a session was opened. */
export type OpenedBy = (typeof openedBy)[number];

export const frontEndPrograms = ['editor', 'terminal'] as const;
/** Where a user works with a conversation. */
export type FrontEndProgram = (typeof frontEndPrograms)[number];

/** One window or terminal of a user. */
export interface FrontEndIdentity {
  readonly program: FrontEndProgram;
  /** Unique for ever. */
  readonly id: string;
}

/** Members that are present change the item; absent members leave it as it is. `content` and `locations` replace the whole array. */
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

/** Members that are present change the sub-agent; `null` removes a text. */
export interface SubagentPatch extends Partial<Pick<SubagentFacts, 'title' | 'task' | 'status' | 'canStop'>> {
  readonly description?: string | null;
  readonly error?: string | null;
}

/** Where something happened: in the session of a sub-agent, or else in that of the agent. */
interface InSubagent {
  readonly subagentId?: string;
}

/** What an agent attached to a message, for programs that know this agent. It is passed on, and neither read, shown nor saved. */
interface FromAgent {
  readonly meta?: Meta;
}

/** `at` is when the event was received, in milliseconds since the epoch. */
export type SessionEvent =
  /** `continues` and `fork` as in SessionState. */
  | ({ readonly type: 'opened'; readonly at: number; readonly cwd: string; readonly by: OpenedBy } & SessionOrigin)
  /** `content` is the prompt, which becomes the user's message. It is absent for a turn that the agent began by itself. */
  | {
      readonly type: 'turn_started';
      readonly at: number;
      readonly turnId: string;
      /** Of the conversation. */
      readonly promptId?: string;
      readonly content?: readonly ContentBlock[];
    }
  /** Explains why nothing happens, from the agent or from the host. It ends with `null`, with a sign of life, or with the turn. */
  | { readonly type: 'wait'; readonly at: number; readonly wait: AgentWait | null }
  | { readonly type: 'turn_cancelling'; readonly at: number; readonly turnId: string }
  | { readonly type: 'turn_ended'; readonly at: number; readonly turnId: string; readonly outcome: TurnOutcome }
  /** A chunk of a message; `appendMessage` decides of which. */
  | ({
      readonly type: 'message';
      readonly at: number;
      readonly role: MessageRole;
      readonly messageId?: string;
      /** Of the conversation: the prompt for a running turn that became this message of the user. */
      readonly promptId?: string;
      readonly content: ContentBlock;
    } & InSubagent &
      FromAgent)
  /** Inserts or updates by `id`. The adapter has made the id unique and has resolved appends, so values only replace. */
  | ({
      readonly type: 'tool';
      readonly at: number;
      readonly id: string;
      readonly toolCallId: string;
      readonly patch: ToolPatch;
      /** Set if the host derived this from a request of the agent or determined it itself, and no update of the agent says it. */
      readonly origin?: 'host';
    } & InSubagent &
      FromAgent)
  /**
   * Inserts or updates by `agentId`. The first one precedes everything of the sub-agent; its `subagentId` is the one that started it.
   * `toolId`: the item of the tool call that did.
   */
  | ({
      readonly type: 'subagent';
      readonly at: number;
      readonly agentId: string;
      readonly patch: SubagentPatch;
      readonly toolId?: string;
    } & InSubagent)
  /** Replaces the plan of that id, or the one without an id. Without entries and text, it removes the plan. */
  | ({
      readonly type: 'plan';
      readonly at: number;
      readonly planId?: string;
      readonly entries: readonly PlanEntry[];
      readonly text?: PlanText;
    } & InSubagent &
      FromAgent)
  | ({ readonly type: 'commands'; readonly at: number; readonly commands: readonly AvailableCommand[] } & FromAgent)
  /** Always the whole list. */
  | ({ readonly type: 'options'; readonly at: number; readonly options: readonly SessionOption[] } & FromAgent)
  /** The session was opened with it; absent: nothing besides its folder. */
  | { readonly type: 'context'; readonly at: number; readonly context: SessionContext }
  /** `title: null` clears the title. `updatedAt` is the agent's own time, in ISO 8601. */
  | ({ readonly type: 'info'; readonly at: number; readonly title?: string | null; readonly updatedAt?: string | null } & FromAgent)
  /** Undefined: the agent has compacted its context, and not reported since how full it is. */
  | ({ readonly type: 'usage'; readonly at: number; readonly usage: SessionUsage | undefined } & FromAgent)
  | ({
      readonly type: 'notice';
      readonly at: number;
      readonly severity: NoticeSeverity;
      readonly title: string;
      readonly description?: string;
    } & InSubagent &
      FromAgent)
  /** A notice of the host itself. */
  | ({ readonly type: 'host_notice'; readonly at: number; readonly severity: NoticeSeverity } & HostNotice)
  /** Inserts or updates by `id`; `summary` replaces, `summaryChunk` appends. */
  | ({
      readonly type: 'compaction';
      readonly at: number;
      readonly id: string;
      readonly status?: string;
      readonly summary?: readonly ContentBlock[];
      readonly summaryChunk?: ContentBlock;
      readonly error?: string | null;
    } & FromAgent)
  /**
   * A message of the agent that the host doesn't understand. Programs get it; it is neither shown nor saved. `kind` is the agent's name for
   * it.
   */
  | { readonly type: 'extension'; readonly at: number; readonly kind: string; readonly payload: Meta }
  | { readonly type: 'request_opened'; readonly at: number; readonly request: UserRequest }
  /** `by`: the front end in which the user answered. */
  | {
      readonly type: 'request_closed';
      readonly at: number;
      readonly requestId: string;
      readonly answer: UserAnswer;
      readonly by?: FrontEndIdentity;
    }
  | { readonly type: 'queued'; readonly at: number; readonly prompt: QueuedPrompt }
  | { readonly type: 'unqueued'; readonly at: number; readonly promptId: string };

/** A request of the agent to its user begins or ends. */
export type RequestEvent = Extract<SessionEvent, { readonly type: 'request_opened' | 'request_closed' }>;
