/** What a front end holds: one agent, its sessions, and their states to draw. Implemented in agentHost.ts and session.ts. */
import type { AgentInfo, BackendDeadlines, ClientInfo, Delivery, McpServer, ResumeMethod } from '../backends/agentBackend.js';
import type { Disposable } from '../base/disposable.js';
import type { HostError } from '../base/errors.js';
import type { Event } from '../base/event.js';
import type { Logger } from '../base/logger.js';
import type { Redactor } from '../base/redact.js';
import type { ExitInfo } from '../node/exitInfo.js';
import type { CodeNavigation } from '../services/codeNavigation.js';
import type { RequestDeadlines } from '../services/userRequests.js';
import type { ContentBlock, SessionState, TurnOutcome } from '../session/model.js';
import type { UserAnswer } from '../session/userRequest.js';
import type { OpenedBy, SessionEvent } from '../session/event.js';
import type { JournalStore } from '../journal/journalStore.js';
import type { RequestRecord } from '../traffic/requestLog.js';
import type { TrafficEntry } from '../traffic/trafficEntry.js';
import type { HostCounters, ReadTraffic, TrafficItem } from '../traffic/trafficItem.js';
import type { AgentDefinition } from '../agents/agentDefinition.js';
import type { RestartLimits } from './restartPolicy.js';

export type { HostCounters, ReadTraffic, TrafficItem };

/** `since` and `at`: milliseconds since the epoch. A closed set; each state carries what a person must know of it. */
export type AgentStatus =
  | { readonly state: 'stopped'; readonly exit?: ExitInfo }
  /** `next_minute`: some agents destroy a session that is loaded in the clock minute of its creation. */
  | {
      readonly state: 'starting';
      readonly since: number;
      readonly awaiting: 'process' | 'initialize' | 'session' | 'next_minute';
      /** Of the answer that is awaited: where it never comes, this may be why. */
      readonly protocol?: string;
    }
  /** Starting again after a loss; a conversation is to be resumed. With `attempt` it happens by itself, at `retryAt` or now. */
  | {
      readonly state: 'reconnecting';
      readonly since: number;
      readonly attempt?: number;
      readonly of?: number;
      readonly retryAt?: number;
      readonly reason?: HostError;
    }
  | { readonly state: 'ready' }
  | { readonly state: 'busy'; readonly since: number }
  /** The user's turn: so many requests of the agent are open. */
  | { readonly state: 'waiting'; readonly since: number; readonly requests: number }
  | { readonly state: 'failed'; readonly error: HostError; readonly stderrTail: string };

export const defaultDeadlines: BackendDeadlines = { initializeMs: 30_000, sessionMs: 120_000, queryMs: 15_000 };

export interface AgentHostOptions {
  readonly agent: AgentDefinition;
  /** Absolute, existing: the folder in which the agent works. One process per folder. */
  readonly cwd: string;
  readonly clientInfo: ClientInfo;
  /** The same agent command can be run in an interactive terminal for signing in. */
  readonly terminalAuth: boolean;
  readonly mcpServers?: readonly McpServer[];
  /** Environment to inherit; a front end started from a desktop icon passes the login shell's. Default: the process's own. */
  readonly baseEnv?: NodeJS.ProcessEnv;
  readonly deadlines?: Partial<BackendDeadlines>;
  /** How long the agent's requests wait for the user before they end as `cancelled`. Default: until they are answered. */
  readonly requestDeadlines?: RequestDeadlines;
  readonly log?: Logger;
  readonly redactor?: Redactor;
  /** What the editor knows of the code, for an agent that asks for it. Absent: none may ask. What lies outside of `cwd` is not told. */
  readonly codeNavigation?: CodeNavigation;
  /** The key of a server whose definition says that the front end keeps it. Absent: it keeps none. @param url of the server */
  readonly readStoredKey?: (url: string) => Promise<string | undefined>;
  /** An agent that is lost is started again by itself, with back-off, and its conversations are resumed. Absent: it is not. */
  readonly restart?: Partial<RestartLimits>;
  /** Where conversations are kept. Without it nothing is written. */
  readonly journals?: JournalStore;
  /** What the agent says is shown somewhere that is full: it is read on when the promise resolves. Undefined: there is room. */
  readonly whenDrained?: () => Promise<void> | undefined;
  /** Batches have every chunk of a message as the agent sent it, for front ends that hand them on. Absent: neighboring chunks are one event. */
  readonly keepsChunks?: boolean;
}

/** What a person who looks for a fault wants to know first. Redacted. */
export interface HostDiagnostics {
  readonly at: number;
  readonly agent: Pick<AgentDefinition, 'id' | 'label' | 'protocol'> & { readonly address: string };
  readonly cwd: string;
  readonly status: AgentStatus;
  readonly info: AgentInfo | undefined;
  readonly counters: HostCounters;
  /** The last requests of both sides, oldest first. */
  readonly requests: readonly RequestRecord[];
  readonly stderrTail: string;
}

/** One agent process and the sessions that live in it. */
export interface AgentHost extends Disposable {
  readonly agent: AgentDefinition;
  readonly status: AgentStatus;
  readonly onStatus: Event<AgentStatus>;
  /** What the agent said of itself; absent before the first start. */
  readonly info: AgentInfo | undefined;
  /** How the running agent can open earlier sessions, the best first. */
  readonly resumeMethods: readonly ResumeMethod[];
  /** Every frame, redacted, while somebody listens. */
  readonly onTraffic: Event<TrafficEntry>;
  /** The last frames, oldest first, redacted. Kept all the time, bounded in number and bytes; frames of over 64 KB are cut. */
  readTraffic(o?: ReadTraffic): readonly TrafficItem[];
  /** There is more to read; a few times a second at most, while somebody listens. */
  readonly onTrafficChange: Event<void>;
  diagnostics(): HostDiagnostics;
  readonly sessions: ReadonlyMap<string, Session>;
  readonly onSession: Event<Session>;
  /** Starts the agent if it is not running. Concurrent calls share one start. @throws HostError as ConnectAgent */
  start(signal?: AbortSignal): Promise<AgentInfo>;
  /** @param o.continues the session that it goes on from, because the agent cannot take that one up; it becomes part of the new one's history */
  newSession(o?: { readonly continues?: string }): Promise<Session>;
  /**
   * Opens a session of an earlier process, or one that was left. With `known` (or a kept journal) that transcript stands and the agent's replay is not added to it;
   * without it the replay becomes the transcript. Prompts that were queued in it are taken out of the queue, not sent.
   * Concurrent calls for one session share one opening.
   * @throws HostError `unsupported`, `session_unknown`, … : never silently a new session
   */
  loadSession(sessionId: string, known?: SessionState): Promise<Session>;
  /**
   * The user is done with the session: a turn that runs in it is cancelled, and it is not resumed after a loss. Its transcript stays in the journal.
   * Where the agent can close sessions, the Session has ended then; `loadSession` opens it again. Never rejects for what the agent says to it.
   */
  closeSession(sessionId: string): Promise<void>;
  /** As `closeSession`; where the agent cannot close it, nothing more is heard of it, and `loadSession` asks the agent for it again. */
  forgetSession(session: Session): Promise<void>;
  authenticate(methodId: string): Promise<void>;
  /** Does not wait for the end of the delay before the next start by itself. */
  retryNow(): void;
  /** Graceful end, and nothing is started by itself any more. Sessions end with `agent_exited`; turns under way are interrupted. Idempotent. */
  stop(o?: { readonly force?: boolean }): Promise<void>;
  /** The last lines of the newest process, oldest first, redacted. @param since only what came after it */
  stderrTail(lines?: number, since?: StderrMark): string;
  /** Now. */
  readonly stderrMark: StderrMark;
}

/** A moment in what an agent writes to stderr. */
export interface StderrMark {
  /** The process. */
  readonly of: object;
  readonly lines: number;
}

export interface SessionBatch {
  readonly before: SessionState;
  readonly events: readonly SessionEvent[];
  /** After them. */
  readonly state: SessionState;
}

/** What can be done with prompts while a turn runs. */
export interface WhileRunning {
  /** How one reaches the turn that runs; empty: it waits for the end of the turn. */
  readonly deliveries: readonly Exclude<Delivery, 'turn'>[];
  /** What the agent keeps in its own queue can be taken out of it. */
  readonly canUnqueue: boolean;
}

/** One conversation. */
export interface Session extends Disposable {
  readonly id: string;
  readonly host: AgentHost;
  readonly state: SessionState;
  /** After one or more events were reduced, at most once per 16 ms; what did not change keeps its identity. */
  readonly onState: Event<SessionState>;
  /** As `onState`, with the events that led there: neighboring chunks of one message are one event. */
  readonly onBatch: Event<SessionBatch>;
  /** Every event, in order, at once and unmerged: for a journal, a terminal, a recording. */
  readonly onEvent: Event<SessionEvent>;
  /** How it came into the agent that it is in, or was in last. */
  readonly openedBy: OpenedBy;
  /** Why the running agent does not resume it: only a new session can go on from it. Absent where nothing was refused. */
  readonly refusal: HostError | undefined;
  readonly whileRunning: WhileRunning;
  /** False once the agent's process is gone: what was said stays, nothing can be sent. */
  readonly live: boolean;
  /**
   * Sends a prompt. Resolves with the outcome of its turn; an agent's failure is an outcome, not a rejection.
   * @param o.delivery where the agent offers no such delivery, as `turn`; where no turn runs, it begins one
   * @throws HostError `session_busy` while a turn runs that it cannot join, `agent_exited` when the session is not live
   */
  prompt(content: readonly ContentBlock[], o?: { readonly delivery?: Delivery }): Promise<TurnOutcome>;
  /** Asks the agent to take a prompt out of its own queue; that it did is an `unqueued` event. */
  unqueue(promptId: string): void;
  /** Asks the agent to stop the turn; its end is the turn's own. Does nothing when no turn runs. */
  cancel(): void;
  /** @returns false when there is no such request any more, or it does not allow the answer: nothing was decided then */
  answer(requestId: string, answer: UserAnswer): boolean;
  /** Settles when the agent has told what else its options may be set to, or will not. Absent: what the state has is all. */
  readonly moreOptions: Promise<void> | undefined;
  /** @throws HostError `agent_exited`, `request_failed`, `request_timeout` */
  setOption(id: string, value: string | boolean): Promise<void>;
  /** Another process took the conversation over: nothing of this session is saved that was said later. @param since milliseconds since the epoch */
  endSaving(since: number): void;
}
