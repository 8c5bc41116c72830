/**
 * The seam: the one way to talk to an agent, whatever wire protocol it speaks. Presence is the capability: a member that is absent is unsupported,
 * and nobody above reads what a protocol declares. Order is promised everywhere: events in the order of the wire, and before the promise of a call
 * whose answer came later.
 */
import type { ProcessDefinition, ServerDefinition } from '../agents/agentDefinition.js';
import type { Clock } from '../base/clock.js';
import type { HostError } from '../base/errors.js';
import type { Event } from '../base/event.js';
import type { Logger } from '../base/logger.js';
import type { Redactor } from '../base/redact.js';
import type { WakeWatch } from '../base/wake.js';
import type { ExitInfo } from '../node/exitInfo.js';
import type { HostServices } from '../services/hostServices.js';
import type { SessionEvent } from '../session/event.js';
import type { ContentBlock, Meta, SessionOption, StopReason, TurnUsage } from '../session/model.js';
import type { TrafficEntry } from '../traffic/trafficEntry.js';
import type { ConnectionStats } from '../traffic/trafficItem.js';
import type { ExpectedProtocol } from './expectedProtocol.js';

/** How long an answer may take, in milliseconds. A turn has no limit. */
export interface BackendDeadlines {
  readonly initializeMs: number;
  readonly sessionMs: number;
  readonly queryMs: number;
}

export interface ClientInfo {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

/** What every connection needs, whoever the agent is. */
export interface ConnectContext {
  /** Absolute, existing: the folder in which the agent starts. */
  readonly cwd: string;
  /** Environment to inherit; the definition's own is added. */
  readonly baseEnv: NodeJS.ProcessEnv;
  readonly clientInfo: ClientInfo;
  /** The agent's command can be run in a terminal for signing in. */
  readonly terminalAuth: boolean;
  readonly deadlines: BackendDeadlines;
  readonly services: HostServices;
  readonly log: Logger;
  readonly clock: Clock;
  /** For the agent's own words in errors: they quote keys. */
  readonly redactor: Redactor;
  /** Default: that of this process. */
  readonly wake?: Pick<WakeWatch, 'onWake'>;
  /** What the agent was said to speak. Absent: only what it does tells that it speaks something else. */
  readonly expected?: ExpectedProtocol;
  /** Every frame in both directions and each line of stderr, from the first on. Not redacted: redact before showing or keeping. */
  readonly onTraffic: (entry: TrafficEntry) => void;
  /** The last line of stderr while it has no end, as a question has none; empty once it has. Not redacted either. */
  readonly onPartialStderr?: (text: string) => void;
  /** What the agent says goes somewhere that is full: it is read on when the promise resolves. Undefined: there is room. */
  readonly whenDrained?: () => Promise<void> | undefined;
  /** Aborted: nothing of the agent is left when the promise rejects with `cancelled`. */
  readonly signal: AbortSignal;
}

export interface ConnectOptions extends ConnectContext {
  readonly agent: Pick<ProcessDefinition, 'label' | 'command' | 'args' | 'env'>;
}

export interface ServerConnectOptions extends ConnectContext {
  readonly agent: Pick<ServerDefinition, 'label' | 'url' | 'pin' | 'isPlainAllowed'>;
  /** The key to send, for each connection anew; undefined where there is none. The redactor knows it before the promise resolves. */
  readonly readKey: () => Promise<string | undefined>;
}

/**
 * Starts (or connects to) an agent and shakes hands. Whatever it throws, nothing of the agent is left running.
 * @throws HostError `agent_not_found`, `spawn_failed`, `handshake_failed`, `handshake_timeout`, `version_unsupported`, `cancelled`
 */
export type ConnectAgent = (options: ConnectOptions) => Promise<AgentBackend>;

/** As `ConnectAgent`, to a server; `url` in the params of an error says which. */
export type ConnectServer = (options: ServerConnectOptions) => Promise<AgentBackend>;

/** Variables of the agent's environment that hold its keys: each of them is needed, or any one. */
export interface KeyVariables {
  readonly names: readonly string[];
  readonly needs: 'all' | 'any';
}

/**
 * A way to sign in. `terminal`: run in a terminal, the agent's command with these arguments and variables added, or `command` in its place;
 * `agent`: a call that the agent settles, by itself where it takes a key.
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

/** What the agent said of itself when it started. */
export interface AgentInfo {
  /** Its own name, else the configured one. */
  readonly name: string;
  readonly title: string | undefined;
  readonly version: string | undefined;
  readonly protocolVersion: number;
  /** What a prompt may hold beside text and links. */
  readonly promptContent: readonly ('image' | 'audio' | 'resource')[];
  /** How it can reach MCP servers beside stdio. */
  readonly mcpTransports: readonly ('http' | 'sse')[];
  readonly authMethods: readonly AuthMethod[];
  /** What it declared, in its own words: shown and handed on, never decided by. */
  readonly capabilities: Meta;
}

/** `load`: the agent tells the history again; `resume`: it does not, and what was said is for the caller to know. */
export type ResumeMethod = 'load' | 'resume';

interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** An MCP server that the agent is to connect to; over stdio where it names no type. */
export type McpServer =
  | { readonly name: string; readonly command: string; readonly args: readonly string[]; readonly env: readonly NamedValue[] }
  | { readonly type: 'http' | 'sse'; readonly name: string; readonly url: string; readonly headers: readonly NamedValue[] };

interface SessionSetup {
  /** Absolute, existing. */
  readonly cwd: string;
  readonly mcpServers: readonly McpServer[];
}

export type OpenRequest = SessionSetup &
  (
    | { readonly method: 'new' }
    /** `knownOptions`: as they were last seen, for what the agent does not tell again. */
    | { readonly method: ResumeMethod; readonly sessionId: string; readonly knownOptions: readonly SessionOption[] }
  );

/** Where a session's events go. It comes with the request that opens the session, so that no event is ahead of its owner. Must not throw. */
export interface SessionSink {
  /** There is a session, with its id and its options. Once, before anything else is told of it, and before `open` resolves. */
  begin(session: BackendSession): void;
  /** Something that was said before: told again while the agent loads the session. */
  history(event: SessionEvent): void;
  event(event: SessionEvent): void;
}

export interface BackendSessions {
  /** How earlier sessions can be opened, the best first; empty where the agent knows new ones only. */
  readonly resumeMethods: readonly ResumeMethod[];
  /**
   * Opens a session. The history of one that is loaded is told before it resolves, or before its `replayed` does.
   * @throws HostError `auth_required`, `request_failed`, `request_timeout`, `agent_exited`, `invalid_response`; of an earlier session also
   * `unsupported` and `session_unknown`
   */
  open(request: OpenRequest, sink: SessionSink): Promise<BackendSession>;
}

/** `turn`: begins a turn; `steer`: reaches the turn that runs; `followUp`: the agent itself keeps it until that turn is over. */
export type Delivery = 'turn' | 'steer' | 'followUp';

export interface PromptResult {
  readonly stopReason: StopReason;
  readonly usage?: TurnUsage;
}

/** Prompts that the agent itself keeps for later. What stands in it comes as `queued` and `unqueued` events. */
export interface AgentQueue {
  /** Tells the agent to forget it; that it did is the `unqueued` event. */
  remove(promptId: string): void;
}

/** One session that is open in the agent. */
export interface BackendSession {
  readonly id: string;
  /** As they are now; each change is an event too. */
  readonly options: readonly SessionOption[];
  /** Of these options the agent did not say what they are set to: it may have forgotten it. */
  readonly unstated: ReadonlySet<string>;
  /** Settles when the agent has told what else its options may be set to, or will not. Absent: `options` is all. */
  readonly moreOptions?: Promise<void>;
  /** Settles when the agent has told what it tells again of a session that it loaded; a prompt waits for it. Absent: it has. */
  readonly replayed?: Promise<void>;
  /** What `prompt` may be called with; `turn` is always among them. */
  readonly deliveries: readonly Delivery[];
  /**
   * `turn`: one turn; resolves at its end, never times out, and at most one runs at a time: the caller queues. The others resolve when the agent has
   * taken the words, which it tells as events of the turn that they belong to. What `promptContent` does not list is brought into a form that the agent
   * takes (promptContent.ts).
   * @throws HostError `session_busy`, `unsupported`, `auth_required`, `provider_failed`, `request_failed`, `agent_exited`; `session_unknown` where the
   * agent has lost the session since it was opened: with the reason `refused` it did not take the prompt
   */
  prompt(turnId: string, content: readonly ContentBlock[], delivery: Delivery): Promise<PromptResult>;
  /** Absent where prompts wait for their turn in the host. */
  readonly queue?: AgentQueue;
  /** Closes every open request of the running turn, also the later ones, and tells the agent to stop, again while the turn goes on where that can get lost. Without a turn it does nothing. */
  cancel(): void;
  /** Resolves when the change was told as an event. @throws HostError `request_failed`, `request_timeout`, `agent_exited` */
  setOption(id: string, value: string | boolean): Promise<void>;
  /**
   * The agent may forget what it holds in memory of the session; a turn that still runs ends with `disposed`. Absent: only the agent's end closes it.
   * @throws HostError `request_failed`, `request_timeout`, `agent_exited`
   */
  readonly close?: () => Promise<void>;
}

/** The end of a connection. Every pending call has been or will be rejected with `error`. */
export interface BackendEnd {
  readonly error: HostError;
  /** Of the agent's process, where that is known. */
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
  /** Signs in by a method of the type `agent`. No deadline: the user may be in a browser. Absent: there is nothing to call. */
  readonly authenticate?: (methodId: string) => Promise<void>;
  /** Fires once, for whatever reason the connection ended; also after `close`. */
  readonly onClosed: Event<BackendEnd>;
  readonly stats: ConnectionStats;
  /**
   * The graceful end: descendants collected, stdin closed, then INT, TERM, KILL of whatever is left. Idempotent, always resolves; a later call with
   * `force` hurries an earlier one.
   * @param o.force skips the wait for a graceful end of an agent that hangs
   * @param o.nothingRuns an agent that is idle after its stdin was closed is not waited for
   */
  close(o?: CloseOptions): Promise<ExitInfo | undefined>;
}
