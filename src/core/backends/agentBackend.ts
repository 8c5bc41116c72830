/** The one way to talk to an agent, whatever wire protocol it speaks. Vocabulary: ACP's. */
import type { AgentCapabilities, AuthMethod, McpServer, SessionUpdate } from '@agentclientprotocol/sdk';
import type { Disposable } from '../base/disposable.js';
import type { Event } from '../base/event.js';
import type { HostError } from '../base/errors.js';
import type { ExitInfo } from '../node/exitInfo.js';
import type { SessionEvent } from '../session/event.js';
import type { ContentBlock, SessionConfigOption, SessionModes, StopReason } from '../session/model.js';
import type { TrafficEntry } from '../traffic/trafficEntry.js';

export type { AgentCapabilities, AuthMethod, McpServer, SessionUpdate };

/** What the agent said of itself when it started. */
export interface AgentInfo {
  /** `agentInfo.name`, else the configured name. */
  readonly name: string;
  readonly title: string | undefined;
  readonly version: string | undefined;
  readonly protocolVersion: number;
  readonly capabilities: AgentCapabilities;
  readonly authMethods: readonly AuthMethod[];
}

export interface OpenedSession {
  readonly sessionId: string;
  readonly modes: SessionModes | undefined;
  readonly configOptions: readonly SessionConfigOption[];
  /** Settles when the agent has told what else the options may be set to, or will not. Absent: `configOptions` is all. */
  readonly moreOptions?: Promise<void>;
}

export interface PromptResult {
  readonly stopReason: StopReason;
}

export type BackendEvent =
  /** In wire order; before the promise of a call resolves whose answer came later on the wire. */
  | { readonly type: 'event'; readonly sessionId: string; readonly event: SessionEvent }
  /** The ACP update as it came, before the events that it means. For machine-readable output and recordings. */
  | { readonly type: 'update'; readonly sessionId: string; readonly update: SessionUpdate }
  /** The connection ended, for whatever reason; every pending call has been or will be rejected with `error`. Fires once. */
  | { readonly type: 'closed'; readonly error: HostError; readonly exit: ExitInfo | undefined };

export interface SessionOptions {
  /** Absolute, existing. */
  readonly cwd: string;
  readonly mcpServers: readonly McpServer[];
}

/** What did not go as it should, counted over the life of one process. */
export interface BackendStats {
  /** Requests that were not answered within their deadline. */
  readonly timeouts: number;
  /** Lines on stdout that were no JSON. */
  readonly noiseLines: number;
  /** JSON that is no message of the protocol. */
  readonly invalidMessages: number;
  /** Answers to requests that nobody made, or that were answered already. */
  readonly unknownResponses: number;
  /** Messages, or parts of them, of kinds that the host does not know. */
  readonly leftOut: number;
  /** Times that reading was paused, because more came than could be handled. */
  readonly pauses: number;
}

export interface AgentBackend extends Disposable {
  readonly onEvent: Event<BackendEvent>;
  /** Frames in both directions and the lines of stderr, not redacted: redact before showing or keeping. */
  readonly onTraffic: Event<TrafficEntry>;
  /**
   * Spawns (or connects) and shakes hands.
   * @throws HostError `agent_not_found`, `spawn_failed`, `handshake_failed`, `handshake_timeout`, `version_unsupported`, `cancelled`
   */
  start(signal: AbortSignal): Promise<AgentInfo>;
  /**
   * @param adopt learns of the session before anything is told of it: an agent may speak of it ahead of the answer that reveals its id
   * @throws HostError `auth_required`, `request_failed`, `request_timeout`, `agent_exited`, `invalid_response`
   */
  newSession<T>(options: SessionOptions, adopt: (opened: OpenedSession) => T): Promise<T>;
  /**
   * Replays the history as events, all of them before it resolves.
   * @throws as newSession, and `unsupported`, `session_unknown`
   */
  loadSession(sessionId: string, options: SessionOptions): Promise<OpenedSession>;
  /** As loadSession, without the replay: what was said before is for the caller to know. @throws as loadSession */
  resumeSession(sessionId: string, options: SessionOptions): Promise<OpenedSession>;
  /**
   * The agent may forget what it holds in memory of the session; a turn of it that still runs ends with `disposed`.
   * @throws HostError `unsupported`, `request_failed`, `request_timeout`, `agent_exited`
   */
  closeSession(sessionId: string): Promise<void>;
  /**
   * One turn; resolves at its end. Never times out. At most one per session at a time: the caller queues.
   * @throws HostError `auth_required`, `provider_failed`, `request_failed`, `agent_exited`
   */
  prompt(sessionId: string, turnId: string, content: readonly ContentBlock[]): Promise<PromptResult>;
  /** Answers every open request of the session's turn `cancelled`, also the later ones, and tells the agent to stop; repeats while the turn goes on. */
  cancel(sessionId: string): void;
  setMode(sessionId: string, modeId: string): Promise<void>;
  setConfigOption(sessionId: string, configId: string, value: string | boolean): Promise<void>;
  authenticate(methodId: string): Promise<void>;
  readonly stats: BackendStats;
  /** The last lines of the agent's stderr, oldest first, not redacted. */
  stderrTail(lines: number): string;
  /**
   * The graceful end: descendants collected, stdin closed, then INT, TERM, KILL of whatever is left. Idempotent, always resolves.
   * @param o.force skips the wait for a graceful end of an agent that hangs
   */
  close(o?: { readonly force?: boolean }): Promise<ExitInfo | undefined>;
}
