import type {
  AgentInfo,
  AgentStatus,
  AgentWait,
  ChangeSet,
  ConversationContext,
  HostErrorData,
  LateWork,
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
  /** The options when the session was opened; later changes are events. */
  readonly options: readonly SessionOption[];
  /** `attached`: it was open before, in another program. */
  readonly openedBy: OpenedBy | 'attached';
}

/** What a new session can get from one that the agent can't resume. */
export interface RecoveryOffer {
  readonly sessionId: string;
  readonly reason: CliError;
  /** Undefined if nothing was saved, so that a fresh start is the only choice. */
  readonly context: ConversationContext | undefined;
}

export interface Notice {
  readonly severity: NoticeSeverity;
  /** For programs. */
  readonly code: string;
  /** For users. */
  readonly message: string;
}

/** A working agent that sends nothing. */
export interface Silence {
  readonly sessionId: string;
  readonly turnId: string;
  readonly silentMs: number;
  /** The reason, if the agent reported it. */
  readonly wait?: AgentWait;
  /** The last line that it wrote to stderr in this turn. */
  readonly stderrLine?: string;
}

/** Shows what happens, in the order in which it happens. */
export interface Output {
  status(status: AgentStatus, info: AgentInfo | undefined): void;
  /** @param info absent if the agent does not run */
  opened(session: OpenedSession, info: AgentInfo | undefined): void;
  /** The conversation goes on without this program. */
  detached(conversationId: string): void;
  /** The agent can't resume the session, so the user has to choose how to continue. */
  recovery(offer: RecoveryOffer): void;
  /** @param isReplay the session is being resumed, and the agent repeats what was shown before */
  event(sessionId: string, event: SessionEvent, isReplay: boolean): void;
  /** What still works although no turn is running, when that has changed; empty: nothing any more. */
  late(sessionId: string, works: readonly LateWork[]): void;
  /** A turn has ended that changed files. */
  changed(sessionId: string, changes: ChangeSet): void;
  /** What turns change can't be told. */
  unrecorded(error: HostErrorData): void;
  error(error: CliError, stderrTail?: string): void;
  silence(silence: Silence): void;
  /** Shows a notice of the host that belongs to no session. */
  notice(notice: Notice): void;
  /** Shows a text for users; programs do not need it. */
  note(text: string): void;
  /** Must be the last call. Resolves once all output has left the process. */
  end(): Promise<void>;
}
