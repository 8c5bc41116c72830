/** A conversation as its front ends see it: plain data that survives a structured clone. */
import type { HostErrorData } from '../base/errors.js';
import type { AgentHost, AgentStatus, WhileRunning } from '../host/api.js';
import type { ServerCaveat } from '../host/serverCaveat.js';
import type { OpenedBy } from '../session/event.js';
import type { ContentBlock, SessionState } from '../session/model.js';
import type { ConversationContext } from './context.js';
import type { OptionChange } from './optionChanges.js';

export type AgentDefinition = AgentHost['agent'];
export type AgentInfo = NonNullable<AgentHost['info']>;

export interface AgentSummary {
  readonly id: string;
  readonly label: string;
  /** Nobody chose it: the preferred agent was not found, and this one takes its place. */
  readonly isFallback: boolean;
  /** It works where it runs, which is not this folder. */
  readonly isServer?: true;
  /** Of a server: shown wherever its name is, as long as it is used. */
  readonly caveat?: ServerCaveat;
}

type Reconnecting = Extract<AgentStatus, { state: 'reconnecting' }>;
type Failed = Extract<AgentStatus, { state: 'failed' }>;

/** What the agent does for this conversation. Where several share a process, `busy` and `waiting` are about this one only. */
export type AgentStatusData =
  | Exclude<AgentStatus, Reconnecting | Failed>
  | (Omit<Reconnecting, 'reason'> & { readonly reason?: HostErrorData })
  | (Omit<Failed, 'error'> & { readonly error: HostErrorData });

/** Names one session. */
export interface SessionKey {
  readonly agentId: string;
  readonly sessionId: string;
  /** Tells sessions apart where the agent reuses its ids, in milliseconds since the epoch; absent: the newest. */
  readonly createdAt?: number | undefined;
}

/**
 * Why a prompt waits for the user instead of for the agent:
 * `turn_interrupted`: it stood behind a turn that was interrupted; `front_end_closed`: the front end went before it was sent;
 * `context_lost`: it was meant for an agent that knew the conversation; `may_hang`: the agent is known to hang on it.
 */
export type HoldReason = 'turn_interrupted' | 'front_end_closed' | 'context_lost' | 'may_hang';

/** A prompt that no turn has taken yet. It stays until one does. */
export interface OutboxPrompt {
  readonly id: string;
  readonly content: readonly ContentBlock[];
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Undefined: it goes as soon as the agent is free. */
  readonly held: HoldReason | undefined;
}

/** What stands between the user and an answer. */
export type Blocker =
  | { readonly type: 'sign_in'; readonly error: HostErrorData }
  /** The agent runs and does not resume the session; nothing is begun silently in its place. */
  | {
      readonly type: 'resume_refused';
      readonly error: HostErrorData;
      readonly sessionId: string;
      /** What a new session could be told. Absent where nothing is saved: then there is only a fresh start. */
      readonly offer: ConversationContext | undefined;
    }
  | { readonly type: 'failed'; readonly error: HostErrorData };

/** A turn of this front end's life whose agent was lost. Stays until the user decides, or the next turn begins. */
export interface InterruptedTurn {
  readonly sessionId: string;
  readonly turnId: string;
  /** The user's own words, without the context that went with them. */
  readonly content: readonly ContentBlock[];
}

/** Another process works in the conversation: another window of an editor, or a command line. */
export interface Elsewhere {
  readonly program: 'editor' | 'terminal';
  /** A turn runs there. It is not stopped without a question to the user. */
  readonly isBusy: boolean;
}

/** This process gave no sign of life for a while, as one that was suspended, and another one took the conversation over. */
export interface PassedOver {
  /** Absent: that one has let go by now. */
  readonly program: Elsewhere['program'] | undefined;
  /** A turn ran here. What the agent said in it after that moment is not saved. */
  readonly wasBusy: boolean;
}

export interface ConversationState {
  /** Counts the batches; the state is the one after this batch. */
  readonly revision: number;
  readonly id: string;
  /** Absolute. */
  readonly cwd: string;
  /** The agent that runs, or that would. */
  readonly agent: AgentSummary | undefined;
  readonly status: AgentStatusData;
  /** What the agent said of itself; absent before the first start. */
  readonly info: AgentInfo | undefined;
  /** The agent is being started and the session opened, since then in milliseconds since the epoch. */
  readonly opening: { readonly since: number } | undefined;
  /** The session on screen, open or as it was saved. */
  readonly session: SessionState | undefined;
  /** The agent of `session` runs, and knows it. */
  readonly live: boolean;
  /** Of the live session. */
  readonly whileRunning: WhileRunning;
  /** How the session came into its agent; absent before it did. */
  readonly openedBy: OpenedBy | undefined;
  /** What `session` goes on from, oldest first. */
  readonly earlierSessions: readonly SessionState[];
  /** What of `earlierSessions` goes with the next prompt. */
  readonly context: ConversationContext | undefined;
  /** The only queue of prompts, in the order in which they are sent. */
  readonly outbox: readonly OutboxPrompt[];
  /** Prompts that will not be sent and wait for a front end to take them into its composer. */
  readonly returned: readonly OutboxPrompt[];
  /** What the user chose while a turn runs, and the agent has not taken yet. */
  readonly optionChanges: readonly OptionChange[];
  /** The prompt whose turn runs. */
  readonly sending: { readonly promptId: string } | undefined;
  readonly interrupted: InterruptedTurn | undefined;
  readonly blocker: Blocker | undefined;
  /** What is said there is shown here as it comes. The next prompt, or `continue_here`, brings the conversation here. */
  readonly elsewhere: Elsewhere | undefined;
  /** Until the conversation comes here again. */
  readonly passedOver: PassedOver | undefined;
}

/** Nothing is known of it yet. @param cwd absolute */
export function emptyConversation(id: string, cwd: string): ConversationState {
  return {
    revision: 0,
    id,
    cwd,
    agent: undefined,
    status: { state: 'stopped' },
    info: undefined,
    opening: undefined,
    session: undefined,
    live: false,
    whileRunning: { deliveries: [], canUnqueue: false },
    openedBy: undefined,
    earlierSessions: [],
    context: undefined,
    outbox: [],
    returned: [],
    optionChanges: [],
    sending: undefined,
    interrupted: undefined,
    blocker: undefined,
    elsewhere: undefined,
    passedOver: undefined,
  };
}

/** Nothing happens any more until the user, or the agent by itself, does something. */
export function isSettled({ opening, sending, outbox, blocker }: ConversationState): boolean {
  return opening === undefined && sending === undefined && (blocker !== undefined || outbox.every(({ held }) => held !== undefined));
}
