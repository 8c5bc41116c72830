/** What front ends tell a host and get from it, besides `AgentHost`: its options, the states of an agent, and a session. */
import type { AgentInfo, BackendDeadlines, ClientInfo, Delivery, ForkPoint, SavedList, SavedSession } from '../backends/agentBackend.js';
import type { Disposable } from '../base/disposable.js';
import type { HostError, HostErrorCode, HostErrorData } from '../base/errors.js';
import type { Event } from '../base/event.js';
import type { Logger } from '../base/logger.js';
import type { Redactor } from '../base/redact.js';
import type { ExitInfo } from '../node/spawnProcess.js';
import type { ChangesInFolders } from '../services/changes/changesInFolders.js';
import type { EditorTexts } from '../services/changes/workingFiles.js';
import type { McpServer } from '../agents/mcpServers.js';
import type { LeftOutServer } from '../session/sessionContext.js';
import type { CodeNavigation } from '../services/codeNavigation.js';
import type { CallAsker, RequestDeadlines } from '../services/userRequests.js';
import type { ContentBlock, QueuedPrompt, SessionState, TurnOutcome } from '../session/model.js';
import type { UserAnswer } from '../session/userRequest.js';
import type { FrontEndIdentity, OpenedBy, SessionEvent } from '../session/event.js';
import type { OpenJournal } from '../journal/journalStore.js';
import type { RequestRecord } from '../traffic/requestLog.js';
import type { HostCounters, ReadTraffic, TrafficItem } from '../traffic/trafficItem.js';
import type { AgentDefinition } from '../agents/agentDefinition.js';
import type { RestartLimits } from './restartPolicy.js';

export type { ForkPoint, HostCounters, ReadTraffic, SavedList, SavedSession, TrafficItem };

/** `since` and `at`: milliseconds since the epoch. A closed set; each state has the data that users must know about it. Plain data. */
export type AgentStatus =
  | { readonly state: 'stopped'; readonly exit?: ExitInfo }
  /** `next_minute`: some agents destroy a session that is loaded in the clock minute of its creation. */
  | {
      readonly state: 'starting';
      readonly since: number;
      readonly awaiting: 'initialize' | 'session' | 'next_minute';
      /** The protocol of the awaited response. If the response never arrives, the protocol may be the reason. */
      readonly protocol?: string;
    }
  /** The agent restarts after a loss, to resume a conversation. With `attempt`, the restart is automatic, at `retryAt` or now. */
  | {
      readonly state: 'reconnecting';
      readonly since: number;
      readonly attempt?: number;
      readonly of?: number;
      readonly retryAt?: number;
      readonly reason?: HostErrorData;
    }
  | { readonly state: 'ready' }
  | { readonly state: 'busy'; readonly since: number }
  /** The agent waits for the user, with this many open requests. */
  | { readonly state: 'waiting'; readonly since: number; readonly requests: number }
  | { readonly state: 'failed'; readonly error: HostErrorData; readonly stderrTail: string };

/** The deadlines of calls, in milliseconds. A turn has none. */
export const defaultDeadlines: BackendDeadlines = { initializeMs: 30_000, sessionMs: 120_000, queryMs: 15_000 };

/** Errors with which a running agent refuses to open a session. Another attempt would not help. */
export const openRefusals: ReadonlySet<HostErrorCode> = new Set(['unsupported', 'session_unknown', 'request_failed', 'invalid_response']);

/** What a host needs: the agent, its folder, and the services of the front end. */
export interface AgentHostOptions {
  readonly agent: AgentDefinition;
  /** The folder in which the agent works: absolute, must exist. One process per folder. */
  readonly cwd: string;
  readonly clientInfo: ClientInfo;
  /** Whether the agent's command can also run in an interactive terminal to sign in. */
  readonly terminalAuth: boolean;
  readonly mcpServers?: readonly McpServer[];
  /** The MCP servers that the front end left out, and why. */
  readonly leftOutServers?: readonly LeftOutServer[];
  /** In which the agent may work besides `cwd`, if it can be told of them: absolute. */
  readonly otherFolders?: readonly string[];
  /** Values in `mcpServers` that no log may contain, wherever they are in it. */
  readonly secretValues?: readonly string[];
  /**
   * The environment to inherit. A front end that is started from a desktop icon passes that of the login shell. Default: the environment of
   * this process.
   */
  readonly baseEnv?: NodeJS.ProcessEnv;
  /** Default: `defaultDeadlines`. */
  readonly deadlines?: Partial<BackendDeadlines>;
  /** How long the agent's requests wait for the user before they end with the reason `deadline`. Default: until they are answered. */
  readonly requestDeadlines?: RequestDeadlines;
  /** If absent, nothing is logged. */
  readonly log?: Logger;
  /** For secrets that the host can't recognize. The host adds those of the agent's environment. Default: a new one. */
  readonly redactor?: Redactor;
  /** What editors have of files, which agents then read and write through them. If absent, only the disk counts. */
  readonly editorTexts?: EditorTexts;
  /**
   * What the editor knows about the code, for an agent that queries it. If absent, no agent may query it. Never includes anything outside
   * `cwd`.
   */
  readonly codeNavigation?: CodeNavigation;
  /**
   * Reads the key of a server whose definition says that the front end stores it. If absent, the front end stores no keys.
   * @param url of the server
   */
  readonly readStoredKey?: (url: string) => Promise<string | undefined>;
  /** Restarts a lost agent automatically, with back-off. If absent, agents are not restarted automatically. */
  readonly restart?: Partial<RestartLimits>;
  /**
   * Back-pressure: returns a promise while the consumer of the agent's output is full, and the host reads on when it resolves. Returns
   * undefined while there is room.
   */
  readonly whenDrained?: () => Promise<void> | undefined;
}

/** The facts that are needed first to find a fault. Redacted. */
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

/** Learns of the turns of a session, in order to record what they change. */
export type TurnWatch = Pick<ChangesInFolders, 'told' | 'begin' | 'look' | 'end'>;

export interface HostSignIn {
  readonly signal?: AbortSignal;
  /** If absent, what the agent asks is canceled. */
  readonly asker?: CallAsker;
}

/** What a session does for the conversation that it belongs to. */
export interface SessionOwner {
  /** Where it is saved; absent: nowhere. */
  readonly journal?: OpenJournal | undefined;
  readonly turns?: TurnWatch | undefined;
  /** While it is opened. If absent, what the agent asks is canceled. */
  readonly asker?: CallAsker | undefined;
}

/** See `AgentHost.newSession`. */
export interface NewSession extends SessionOwner {
  readonly continues?: string | undefined;
  /** The place at which the agent forks the session that the new one continues. */
  readonly fork?: ForkPoint | undefined;
  /** Why the agent could not fork it. */
  readonly forkError?: HostErrorData | undefined;
}

/** What sessions know of the agent that they are in. */
export interface SessionAgent {
  readonly agent: AgentDefinition;
  readonly info: AgentInfo | undefined;
  /** @returns a function that returns the last lines that it writes to stderr from now on, redacted; empty if there are none */
  stderrFromNow(): (lines: number) => string;
}

/** Events of a session that were reduced together, in wire order. */
export interface SessionBatch {
  readonly before: SessionState;
  readonly events: readonly SessionEvent[];
  /** The state after these events. */
  readonly state: SessionState;
}

/** What can be done with prompts while a turn is running. */
export interface WhileRunning {
  /** The ways to reach the running turn. Empty: prompts wait for the end of the turn. */
  readonly deliveries: readonly Exclude<Delivery, 'turn'>[];
  /** Whether prompts can be removed from the agent's own queue. */
  readonly canUnqueue: boolean;
}

/** One conversation. */
export interface Session extends Disposable {
  readonly id: string;
  readonly state: SessionState;
  /**
   * Fires after one or more events were reduced, at most once per 16 ms. Unchanged parts of the state keep their identity. Neighboring chunks
   * of one message are one event.
   */
  readonly onBatch: Event<SessionBatch>;
  /** Fires for every event, in order, at once and unmerged: for a journal, a terminal or a recording. */
  readonly onEvent: Event<SessionEvent>;
  /** How its current or last agent opened it. */
  readonly openedBy: OpenedBy;
  /** Why the running agent, which lost it, doesn't reopen it, so that only a new session can continue it. Absent if the agent did not refuse. */
  readonly refusal: HostError | undefined;
  readonly whileRunning: WhileRunning;
  /** False once the agent's process is gone: the transcript stays, and nothing can be sent. */
  readonly live: boolean;
  /**
   * Sends a prompt. Resolves with the outcome of its turn; a failure of the agent is an outcome, not a rejection.
   * @param o.delivery treated as `turn` if the agent doesn't offer it; starts a turn if none is running
   * @param o.promptId names the prompt in the events that say where it is: `turn_started`, `queued`, `message`
   * @throws HostError `session_busy` while a turn is running that the prompt can't join, `agent_exited` if the session is not live
   */
  prompt(content: readonly ContentBlock[], o?: { readonly delivery?: Delivery; readonly promptId?: string }): Promise<TurnOutcome>;
  /**
   * Ends the commands of a tool call that run in the host.
   * @param itemId of the tool call @returns false if none runs
   */
  stopCommand(itemId: string): Promise<boolean>;
  /**
   * Asks the agent to remove a prompt from its own queue. An `unqueued` event confirms it.
   * @returns the other prompts that the agent dropped because of it, which the host does not send again
   * @throws HostError `request_failed` if the agent refuses
   */
  unqueue(promptId: string): Promise<readonly QueuedPrompt[]>;
  /**
   * Asks the agent to stop what it does after its turn, as far as that can be stopped: sub-agents, commands that run in the host, and what it
   * does without a turn. Does nothing while a turn is running.
   */
  stopLateWork(): void;
  /** Asks the agent to stop one sub-agent. @throws HostError `unsupported` if it can't, `agent_exited` without an agent */
  stopSubagent(subagentId: string): void;
  /** Empties the queue of an agent that is gone, or that the caller leaves. @returns what was in it */
  takeQueue(): readonly QueuedPrompt[];
  /** Asks the agent to stop the turn; the turn reports its own end. Does nothing if no turn is running. */
  cancel(): void;
  /**
   * @param by where the user answered, for others that show the session
   * @returns false if the request is gone or doesn't allow the answer; nothing was decided then
   */
  answer(requestId: string, answer: UserAnswer, by?: FrontEndIdentity): boolean;
  /**
   * Resolves when the agent has reported the remaining choices of its options, or won't report them. Rejects if the agent ends before.
   * Undefined if the state is already complete.
   */
  readonly moreOptions: Promise<void> | undefined;
  /** @throws HostError `agent_exited`, `request_failed`, `request_timeout` */
  setOption(id: string, value: string | boolean): Promise<void>;
  /** Resolves when everything so far is saved, or can't be saved at the moment. Never rejects. @returns whether it is saved */
  flush(): Promise<boolean>;
}
