/**
 * The seam: the only way to talk to an agent, whatever wire protocol it speaks. A capability is the presence of a member: an absent member
 * means that the agent doesn't support it, and no code above reads what a protocol declares. Events arrive in wire order. An event that
 * precedes a response on the wire arrives before the promise of that call settles.
 */
import type { ProcessDefinition, ServerDefinition } from '../agents/agentDefinition.js';
import type { McpServer } from '../agents/mcpServers.js';
import type { Clock } from '../base/clock.js';
import type { HostError } from '../base/errors.js';
import type { Event } from '../base/event.js';
import type { Logger } from '../base/logger.js';
import type { Redactor } from '../base/redact.js';
import type { WakeWatch } from '../base/wake.js';
import type { ExitInfo } from '../node/spawnProcess.js';
import type { HostServices, RequestUser, VendorMessages } from '../services/hostServices.js';
import type { SessionEvent } from '../session/event.js';
import type { ContentBlock, Meta, QueuedPrompt, SessionOption, StopReason, TurnUsage } from '../session/model.js';
import type { TrafficEntry } from '../traffic/trafficEntry.js';
import type { ConnectionStats } from '../traffic/trafficItem.js';
import type { ExpectedProtocol } from './expectedProtocol.js';

/** The time limits for responses, in milliseconds. A turn has no limit. */
export interface BackendDeadlines {
  readonly initializeMs: number;
  readonly sessionMs: number;
  readonly queryMs: number;
}

/** How the host introduces itself to an agent. */
export interface ClientInfo {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

/** What every connection needs, for processes and servers alike. */
export interface ConnectContext {
  /** The folder in which the agent starts: absolute, must exist. */
  readonly cwd: string;
  /** The environment to inherit. The definition of the agent adds its own variables. */
  readonly baseEnv: NodeJS.ProcessEnv;
  readonly clientInfo: ClientInfo;
  /** Whether the user can run the agent's command in a terminal to sign in. */
  readonly terminalAuth: boolean;
  readonly deadlines: BackendDeadlines;
  readonly services: HostServices;
  readonly log: Logger;
  readonly clock: Clock;
  /** Redacts the agent's own text in errors, which may quote keys. */
  readonly redactor: Redactor;
  /** Defaults to the wake watch of this process. */
  readonly wake?: Pick<WakeWatch, 'onWake'>;
  /** The protocol that the user configured for the agent. Without it, a different protocol can only be noticed by its failures. */
  readonly expected?: ExpectedProtocol;
  /**
   * Receives every frame in both directions and each line of stderr, from the first on. Entries are not redacted: redact them before you
   * show or save them.
   */
  readonly onTraffic: (entry: TrafficEntry) => void;
  /**
   * Receives the last line of stderr while it is incomplete, for example a question, and an empty text when it is complete. Not redacted.
   */
  readonly onPartialStderr?: (text: string) => void;
  /**
   * Back-pressure: returns a promise while the consumer of the agent's output is full, and the connection reads on when it resolves.
   * Returns undefined while there is room.
   */
  readonly whenDrained?: () => Promise<void> | undefined;
  /** Aborts the connection. When the promise rejects with `cancelled`, nothing of the agent is left running. */
  readonly signal: AbortSignal;
}

export interface ConnectOptions extends ConnectContext {
  readonly agent: Pick<ProcessDefinition, 'label' | 'command' | 'args' | 'env'>;
}

export interface ServerConnectOptions extends ConnectContext {
  readonly agent: Pick<ServerDefinition, 'label' | 'url' | 'pin' | 'isPlainAllowed'>;
  /** Reads the key for each new connection; undefined if there is none. The redactor knows the key before the promise resolves. */
  readonly readKey: () => Promise<string | undefined>;
}

/**
 * Starts (or connects to) an agent and completes the handshake. If it throws, nothing of the agent is left running.
 * @throws HostError `agent_not_found`, `spawn_failed`, `handshake_failed`, `handshake_timeout`, `version_unsupported`, `cancelled`
 */
export type ConnectAgent = (options: ConnectOptions) => Promise<AgentBackend>;

/** Like `ConnectAgent`, for a server. Errors name the server in the param `url`. */
export type ConnectServer = (options: ServerConnectOptions) => Promise<AgentBackend>;

/** The environment variables in which the agent looks for its keys. It needs all of them, or any one. */
export interface KeyVariables {
  readonly names: readonly string[];
  readonly needs: 'all' | 'any';
}

/**
 * A way to sign in. `terminal`: runs the agent's command, or `command` instead, in a terminal with these arguments and variables added.
 * `agent`: a call that the agent answers, by itself if it has a key.
 */
export type AuthMethod = {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly meta?: Meta;
} & (
  | { readonly type: 'agent'; readonly keys?: KeyVariables }
  | {
      readonly type: 'terminal';
      readonly command?: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
);

/** What the agent reported about itself when it started. */
export interface AgentInfo {
  /** The agent's own name, or the configured name if it has none. */
  readonly name: string;
  readonly title: string | undefined;
  readonly version: string | undefined;
  readonly protocolVersion: number;
  /** The content types that the agent accepts in a prompt besides text and links. */
  readonly promptContent: readonly ('image' | 'audio' | 'resource')[];
  /** The transports besides stdio over which the agent can reach MCP servers. */
  readonly mcpTransports: readonly ('http' | 'sse')[];
  readonly authMethods: readonly AuthMethod[];
  /** The agent follows `SessionSetup.systemPrompt`. */
  readonly takesSystemPrompt?: true;
  /** The agent can sign the user out (`AgentBackend.signOut`). */
  readonly signsOut?: true;
  /** The capabilities in the agent's own format. The host displays them and passes them on, but never makes decisions based on them. */
  readonly capabilities: Meta;
}

/** `load`: the agent replays the history. `resume`: it doesn't, so the caller must know the history. */
export type ResumeMethod = 'load' | 'resume';

export interface SessionSetup {
  /** Absolute, must exist. */
  readonly cwd: string;
  readonly mcpServers: readonly McpServer[];
  /** What the client of an agent adds to the request. A protocol without a place for it ignores it. */
  readonly meta?: Meta;
  /** The other folders in which the agent may work: absolute, without symbolic links and duplicates. Agents that know one folder ignore them. */
  readonly otherFolders?: readonly string[];
  /** Instructions in addition to the agent's own. Agents that take none ignore it. */
  readonly systemPrompt?: string | undefined;
}

export type OpenRequest = SessionSetup &
  (
    | { readonly method: 'new' }
    /** `knownOptions`: the options as last seen, for those that the agent doesn't report again. */
    | { readonly method: ResumeMethod; readonly sessionId: string; readonly knownOptions: readonly SessionOption[] }
    | ({ readonly method: 'fork' } & ForkPoint)
  );

/** Where a session is forked: after a message of the agent, by the agent's own ID, or else at its end. The session need not be open. */
export interface ForkPoint {
  readonly sessionId: string;
  readonly messageId?: string | undefined;
}

/**
 * Receives the events of a session. It is part of the request that opens the session, so that no event arrives before its owner. Must not
 * throw.
 */
export interface SessionSink {
  /** The session exists, with its ID and options. Called once, before any other call and before `open` resolves. */
  begin(session: BackendSession): void;
  /** An event from the past, which the agent replays while it loads the session. */
  history(event: SessionEvent): void;
  event(event: SessionEvent): void;
  /** Shows what the agent asks in order to open the session. If absent, all of that is canceled. */
  readonly requestUser?: RequestUser | undefined;
}

export interface SignInOptions {
  readonly signal?: AbortSignal | undefined;
  /** Shows what the agent asks in order to sign the user in. If absent, all of that is canceled. */
  readonly requestUser?: RequestUser | undefined;
}

export interface BackendSessions {
  /** The ways to open earlier sessions, best first. Empty if the agent can only open new ones. */
  readonly resumeMethods: readonly ResumeMethod[];
  /** Where the agent can fork a session: only at its end, or also at a message. Absent if it can't. */
  readonly forks?: 'at_end' | 'at_message';
  /**
   * Opens a session. The history of a loaded or forked session arrives before this promise resolves, or before its `replayed` does.
   * @throws HostError `auth_required`, `request_failed`, `request_timeout`, `agent_exited`, `invalid_response`; for an earlier session also
   * `unsupported` and `session_unknown`
   */
  open(request: OpenRequest, sink: SessionSink): Promise<BackendSession>;
  /** The sessions that the agent has saved, whoever created them. Absent if the agent has no such list. */
  readonly saved?: SavedSessions;
  /**
   * Gives a session, open or saved, a title in the agent. Absent if the agent has its own titles only.
   * @throws HostError `request_failed`, `request_timeout`, `agent_exited`; `session_unknown`
   */
  readonly rename?: (sessionId: string, title: string) => Promise<void>;
}

/** A session in the list of those that the agent has saved. */
export interface SavedSession {
  readonly sessionId: string;
  /** Absolute. */
  readonly cwd: string;
  readonly title?: string;
  /** Milliseconds since the epoch. Absent if the agent does not tell. */
  readonly updatedAt?: number;
}

/**
 * Why a list may lack sessions. `limit`: the agent has more than a list may have. `repeated`: its list has no end. `slow`: it took too long.
 */
export type ListEnd = 'limit' | 'repeated' | 'slow';

export interface SavedList {
  /** The most recently used session first; those without a time last. Each ID occurs once. */
  readonly sessions: readonly SavedSession[];
  /** Absent if the list is complete. */
  readonly end?: ListEnd;
  /** The number of entries that could not be read. */
  readonly unreadable: number;
}

/** Access to the sessions that the agent has saved. */
export interface SavedSessions {
  /**
   * Lists the sessions, bounded in number and time.
   * @param o.cwd absolute; lists the sessions of every folder if it is absent. Some agents ignore it
   * @throws HostError `auth_required`, `request_failed`, `request_timeout`, `agent_exited`, `invalid_response`
   */
  list(o?: { readonly cwd?: string }): Promise<SavedList>;
  /**
   * Deletes a session permanently. It must not be in use. Does nothing if there is no such session. Absent if the agent deletes none.
   * @throws HostError `request_failed`, `request_timeout`, `agent_exited`
   */
  readonly remove?: (sessionId: string) => Promise<void>;
}

/** `turn` starts a turn. `steer` reaches the running turn. `followUp` waits in the agent's own queue until that turn ends. */
export type Delivery = 'turn' | 'steer' | 'followUp';

export interface PromptResult {
  readonly stopReason: StopReason;
  readonly usage?: TurnUsage;
  /** What the agent added to its answer. */
  readonly meta?: Meta;
}

/** The agent's own queue of prompts. Its content arrives as `queued` and `unqueued` events. */
export interface AgentQueue {
  /**
   * Asks the agent to remove a prompt. The `unqueued` event confirms it.
   * @returns the other prompts that the agent dropped because of it, each after its `unqueued` event
   * @throws HostError `request_failed` if the agent refuses
   */
  remove(promptId: string): Promise<readonly QueuedPrompt[]>;
}

/** One session that is open in the agent. */
export interface BackendSession {
  readonly id: string;
  /** Those of `otherFolders` that the agent was told of. Absent if it can't be told of any. */
  readonly otherFolders?: readonly string[];
  /** The current options. Each change is also an event. */
  readonly options: readonly SessionOption[];
  /** The options whose current value the agent did not report when it opened the session. The agent may have forgotten these values. */
  readonly unstated: ReadonlySet<string>;
  /**
   * Resolves when the agent has reported the remaining choices of its options, or won't report them. Rejects if the agent ends before. If
   * absent, `options` is complete.
   */
  readonly moreOptions?: Promise<void>;
  /**
   * Resolves when the agent has replayed a loaded session; prompts wait for it. Rejects if the agent ends before. If absent, the replay is
   * complete.
   */
  readonly replayed?: Promise<void>;
  /** The deliveries that `prompt` accepts. Always includes `turn`. */
  readonly deliveries: readonly Delivery[];
  /** What the agent added to the answer that opened the session. */
  readonly meta?: Meta;
  /**
   * Sends a prompt. With `turn`, resolves at the end of the turn and never times out; only one turn may run at a time, so the caller
   * queues. With the other deliveries, resolves when the agent has accepted the prompt, which it reports as events of the turn that the
   * prompt belongs to. Converts content that `promptContent` doesn't list to a form that the agent accepts (promptContent.ts).
   * @throws HostError `session_busy`, `unsupported`, `auth_required`, `provider_failed`, `request_failed`; `agent_exited` (with the reason
   * `not_running`, the prompt was not sent); `cancelled` if the turn was over, or was being stopped, before the agent said whether it took the
   * prompt;
   * `session_unknown` if the agent has lost the session since it was opened (with the reason `refused`, it did not accept the prompt)
   * @param id the host's own: with `turn`, of the turn; otherwise of the prompt, which its `queued` and `message` events name
   * @param meta what the client of an agent adds; a protocol without a place for it ignores it
   */
  prompt(id: string, content: readonly ContentBlock[], delivery: Delivery, meta?: Meta): Promise<PromptResult>;
  /** Absent if prompts wait in the host for their turn. */
  readonly queue?: AgentQueue;
  /**
   * Closes all open and later requests of the running turn, and asks the agent to stop. Repeats this while the turn continues if the agent
   * may miss the first request. Does nothing without a turn.
   */
  cancel(): void;
  /** Asks the agent to stop what it does without a turn. Does nothing during a turn. Absent if the agent does nothing without one. */
  readonly stopLateWork?: () => void;
  /**
   * Asks the agent to stop a sub-agent, and closes its open requests. Its events say when it has stopped.
   * @throws HostError `unsupported` unless the sub-agent's `canStop` is true
   */
  readonly stopSubagent?: (subagentId: string) => void;
  /** Resolves after the change has arrived as an event. @throws HostError `request_failed`, `request_timeout`, `agent_exited` */
  setOption(id: string, value: string | boolean): Promise<void>;
  /**
   * Ends a command of the agent that runs in the host, with everything that it started; the agent learns how it ended. Does nothing if it has
   * ended. Absent if the host runs none.
   */
  readonly stopTerminal?: (terminalId: string) => Promise<void>;
  /**
   * Lets the agent drop the session from memory. A turn that is still running ends with `disposed`. If absent, only the end of the agent
   * closes the session.
   * @throws HostError `request_failed`, `request_timeout`, `agent_exited`
   */
  readonly close?: () => Promise<void>;
}

/** The end of a connection. Every pending call has been or will be rejected with `error`. */
export interface BackendEnd {
  readonly error: HostError;
  /** How the agent's process exited, if known. */
  readonly exit: ExitInfo | undefined;
}

export interface CloseOptions {
  readonly force?: boolean;
  readonly nothingRuns?: boolean;
}

/** A connected agent. */
export interface AgentBackend {
  readonly info: AgentInfo;
  readonly sessions: BackendSessions;
  /**
   * Signs in with a method of the type `agent`. It has no deadline, because the user may be in a browser. Absent if the agent has no such
   * call. Aborting rejects with `cancelled` at once; the agent is told, but may continue to wait for the user.
   */
  readonly authenticate?: (methodId: string, o?: SignInOptions) => Promise<void>;
  /**
   * Signs the user out. From then on, sessions require a sign-in. Absent if the agent has no such call.
   * @throws HostError `request_failed`, `request_timeout`, `agent_exited`
   */
  readonly signOut?: () => Promise<void>;
  /** Absent if the protocol leaves no messages to vendors. */
  readonly vendor?: VendorMessages;
  /** Fires once when the connection ends for any reason, including `close`. */
  readonly onClosed: Event<BackendEnd>;
  readonly stats: ConnectionStats;
  /**
   * Ends the agent gracefully: lists its descendants, closes stdin, then sends INT, TERM and KILL to everything that is left. Idempotent,
   * always resolves; a later call with `force` speeds up an earlier one.
   * @param o.force doesn't wait for an agent that hangs to end gracefully
   * @param o.nothingRuns doesn't wait for an agent that is idle after its stdin was closed
   */
  close(o?: CloseOptions): Promise<ExitInfo | undefined>;
}
