/** A conversation as its front ends see it: plain data that survives a structured clone. */
import type { HostErrorData } from '../base/errors.js';
import type { AgentHost } from '../host/agentHost.js';
import type { AgentStatus, WhileRunning } from '../host/api.js';
import type { ServerCaveat } from '../host/connectAgent.js';
import type { OpenedBy } from '../session/event.js';
import type { ChangeSet } from '../session/changes.js';
import { type LateWork, lateWorkOf, lastLateItem } from '../session/lateWork.js';
import type { ContentBlock, SessionState } from '../session/model.js';
import type { UserRequest } from '../session/userRequest.js';
import { type DraftContent, emptyDraft } from './draft.js';
import type { ConversationContext } from './context.js';
import type { OptionChange } from './optionChanges.js';

export type AgentDefinition = AgentHost['agent'];
export type AgentInfo = NonNullable<AgentHost['info']>;

/** What front ends show of an agent. */
export interface AgentSummary {
  readonly id: string;
  readonly label: string;
  /** The preferred agent was not found, so this one replaces it. The user did not choose it. */
  readonly isFallback: boolean;
  /** The agent works on its server, not in this folder. */
  readonly isServer?: true;
  /** A warning about a server, shown next to its name as long as it is used. */
  readonly caveat?: ServerCaveat;
}

/** A session as its agent names it. */
export interface SessionKey {
  readonly agentId: string;
  readonly sessionId: string;
}

/**
 * Why a prompt may wait for the user instead of the agent:
 * `turn_interrupted`: it was queued behind a turn that was interrupted. `engine_ended`: the engine ended before it was sent.
 * `context_lost`: it was meant for an agent that knew the conversation. `unanswered`: it was for a turn that is over, and the agent did not
 * say whether it took it.
 */
export const holdReasons = ['turn_interrupted', 'engine_ended', 'context_lost', 'unanswered'] as const;
export type HoldReason = (typeof holdReasons)[number];

/** A prompt that is in no turn yet. It stays here until one takes it. */
export interface OutboxPrompt {
  readonly id: string;
  readonly content: readonly ContentBlock[];
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Undefined: it is sent as soon as the agent is free. */
  readonly held: HoldReason | undefined;
}

/** What prevents the next answer until the user acts. */
export type Blocker =
  | { readonly type: 'sign_in'; readonly error: HostErrorData }
  /** The agent is running but doesn't resume the session. No new session replaces it silently. */
  | {
      readonly type: 'resume_refused';
      readonly error: HostErrorData;
      readonly sessionId: string;
      /** The history that a new session could receive. Absent if nothing is saved: then the user can only start fresh. */
      readonly offer: ConversationContext | undefined;
    }
  | { readonly type: 'failed'; readonly error: HostErrorData };

/** A turn since the front end was started whose agent was lost. Stays until the user decides, or until the next turn starts. */
export interface InterruptedTurn {
  readonly turnId: string;
  /** The user's own content, without the context that was sent with it. */
  readonly content: readonly ContentBlock[];
}

/** All that a front end shows of a conversation, as plain data. */
export interface ConversationState {
  /** Counts the batches. This is the state after the batch of that number. */
  readonly revision: number;
  readonly id: string;
  /** Absolute. */
  readonly cwd: string;
  /** What was saved is in this state. Until then, it shows less than there is. */
  readonly isRestored: boolean;
  /** The agent that is running, or the one that would start. */
  readonly agent: AgentSummary | undefined;
  /** If several conversations share a process, `busy` and `waiting` refer to this one only. */
  readonly status: AgentStatus;
  /** What the agent reported about itself; absent before the first start. */
  readonly info: AgentInfo | undefined;
  /** Since when the agent is being started and the session opened, in milliseconds since the epoch. */
  readonly opening: { readonly since: number } | undefined;
  /** The session on screen, open or as it was saved. */
  readonly session: SessionState | undefined;
  /** What the agent asks outside of its session: to open it, or to sign the user in. Oldest first. */
  readonly requests: readonly UserRequest[];
  /** The agent of `session` is running and has it open. */
  readonly live: boolean;
  /** What the live session accepts while a turn is running. */
  readonly whileRunning: WhileRunning;
  /** How the agent opened the session; absent before it did. */
  readonly openedBy: OpenedBy | undefined;
  /** The sessions that `session` continues, oldest first. */
  readonly earlierSessions: readonly SessionState[];
  /** The part of `earlierSessions` that is sent with the next prompt. */
  readonly context: ConversationContext | undefined;
  /** The only queue of prompts, in the order in which they are sent. */
  readonly outbox: readonly OutboxPrompt[];
  /** Prompts that won't be sent, until a front end puts them into its composer. */
  readonly returned: readonly OutboxPrompt[];
  /** What the user is writing. */
  readonly draft: DraftContent;
  /** Changes that the user made during a turn and that the agent has not accepted yet. */
  readonly optionChanges: readonly OptionChange[];
  /** The prompt whose turn is running. */
  readonly sending: { readonly promptId: string } | undefined;
  readonly interrupted: InterruptedTurn | undefined;
  readonly blocker: Blocker | undefined;
  /** What turns and undos changed in the folder, oldest first. */
  readonly changes: readonly ChangeSet[];
  /** Why the changes of the last turn are not known. */
  readonly changesFailure: HostErrorData | undefined;
}

/**
 * A conversation about which nothing is known yet. Its parts are told in this order: those that arrive with a live session precede `live`, so
 * that a front end that waits for it has all of them.
 * @param cwd absolute
 */
export function emptyConversation(id: string, cwd: string): ConversationState {
  return {
    revision: 0,
    id,
    cwd,
    session: undefined,
    requests: [],
    changes: [],
    agent: undefined,
    info: undefined,
    status: { state: 'stopped' },
    opening: undefined,
    openedBy: undefined,
    whileRunning: { deliveries: [], canUnqueue: false },
    live: false,
    earlierSessions: [],
    context: undefined,
    outbox: [],
    returned: [],
    draft: emptyDraft,
    optionChanges: [],
    sending: undefined,
    interrupted: undefined,
    blocker: undefined,
    changesFailure: undefined,
    isRestored: false,
  };
}

/** Everything that the agent asks, oldest first. */
export function openRequests({ requests, session }: Pick<ConversationState, 'requests' | 'session'>): readonly UserRequest[] {
  return session === undefined || session.requests.length === 0 ? requests : [...requests, ...session.requests];
}

/** Whether the agent works, waits for an answer of the user, or is being started or restarted. */
export function isRunning(state: ConversationState): boolean {
  return hasWork(state) || state.opening !== undefined || state.status.state === 'reconnecting';
}

/** Whether the agent has something to do, gets something to do, or waits for an answer of the user. A session that is opened again is no work. */
export function hasWork({ session, requests, sending, outbox, blocker }: ConversationState): boolean {
  const works = session !== undefined && (session.turn.type !== 'idle' || session.requests.length > 0 || session.queue.length > 0);
  return works || requests.length > 0 || sending !== undefined || (blocker === undefined && outbox.some(({ held }) => held === undefined));
}

/** What still works although no turn is running, oldest first. It ends with the session. */
export function lateWorkIn({ session, live }: Pick<ConversationState, 'session' | 'live'>): readonly LateWork[] {
  return live && session !== undefined ? lateWorkOf(session) : [];
}

/** What an agent does between turns, as far as it tells whether there is news. */
export interface LateTrace {
  readonly works: boolean;
  /** The id of the last item of what the agent said or did after its turn. */
  readonly last: string | undefined;
}

/** @returns undefined while the agent doesn't have the session open */
export function lateTraceOf({ session, live }: Pick<ConversationState, 'session' | 'live'>): LateTrace | undefined {
  if (session === undefined || !live) return undefined;
  return { works: lateWorkOf(session).length > 0, last: lastLateItem(session.items)?.id };
}

/** Whether something ended after its turn, or the agent went on by itself. Compares two moments between turns. */
export function isLateNews(before: LateTrace | undefined, now: LateTrace | undefined): boolean {
  if (before === undefined || now === undefined) return false;
  return (before.works && !now.works) || (now.last !== undefined && now.last !== before.last);
}

/** Whether nothing runs, and there is nothing to send or decide. */
export function isAtRest(state: ConversationState): boolean {
  const { outbox, returned, blocker, context } = state;
  return (
    !isRunning(state) &&
    lateWorkIn(state).length === 0 &&
    outbox.length === 0 &&
    returned.length === 0 &&
    blocker === undefined &&
    context === undefined
  );
}

/** Nothing more happens until the user or the agent does something. */
export function isSettled({ opening, sending, outbox, blocker }: ConversationState): boolean {
  return opening === undefined && sending === undefined && (blocker !== undefined || outbox.every(({ held }) => held !== undefined));
}

/** Its sessions in order, the current one last. */
export function sessionsOf({ earlierSessions, session }: Pick<ConversationState, 'earlierSessions' | 'session'>): readonly SessionState[] {
  return session === undefined ? earlierSessions : [...earlierSessions, session];
}

/** Whether a turn is running, or being stopped. */
export function isInTurn({ session }: Pick<ConversationState, 'session'>): boolean {
  return session !== undefined && session.turn.type !== 'idle';
}
