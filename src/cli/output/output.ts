import type {
  AgentInfo,
  AgentStatusData,
  AgentWait,
  ConversationContext,
  NoticeSeverity,
  OpenedBy,
  SessionEvent,
  SessionOption,
  SessionState,
} from '../../core/index.js';
import type { CliError } from './errorText.js';

/** A session that accepts prompts now. */
export interface OpenedSession {
  readonly state: SessionState;
  /** As they were when it was opened: later changes are events. */
  readonly options: readonly SessionOption[];
  readonly openedBy: OpenedBy;
}

/** What a new session can receive of one that the agent can't resume. */
export interface RecoveryOffer {
  readonly sessionId: string;
  readonly reason: CliError;
  /** Absent where nothing was saved; then a fresh start is the only choice. */
  readonly context: ConversationContext | undefined;
}

export interface Notice {
  readonly severity: NoticeSeverity;
  /** For programs. */
  readonly code: string;
  /** For people. */
  readonly message: string;
}

/** An agent at work says nothing. */
export interface Silence {
  readonly sessionId: string;
  readonly turnId: string;
  readonly silentMs: number;
  /** Why, where the agent said so. */
  readonly wait?: AgentWait;
  /** What it wrote to stderr last in this turn. */
  readonly stderrLine?: string;
}

/** Shows what happens, in the order in which it happens. */
export interface Output {
  status(status: AgentStatusData, info: AgentInfo | undefined): void;
  opened(session: OpenedSession, info: AgentInfo): void;
  /** The agent can't resume the session, so somebody has to choose how to continue. */
  recovery(offer: RecoveryOffer): void;
  /** @param isReplay the session is being resumed, and the agent repeats what was shown before */
  event(sessionId: string, event: SessionEvent, isReplay: boolean): void;
  error(error: CliError, stderrTail?: string): void;
  silence(silence: Silence): void;
  /** Something that the host itself has to say and that belongs to no session. */
  notice(notice: Notice): void;
  /** For people only; programs do not need it. */
  note(text: string): void;
  /** The last call. Resolves once all output has left the process. */
  end(): Promise<void>;
}
