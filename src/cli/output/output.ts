import type {
  AgentInfo,
  AgentStatus,
  ContentBlock,
  ConversationContext,
  HostError,
  HostErrorData,
  Session,
  SessionEvent,
} from '../../core/index.js';

/** What a new session can receive of one that the agent can't resume. */
export interface RecoveryOffer {
  readonly sessionId: string;
  readonly reason: HostError;
  /** Has no turns where nothing was saved; then a fresh start is the only choice. */
  readonly context: ConversationContext;
  /** The context as part of the first prompt. */
  readonly block: ContentBlock | undefined;
}

/** Shows what happens, in the order in which it happens. */
export interface Output {
  status(status: AgentStatus, info: AgentInfo | undefined): void;
  opened(session: Session, info: AgentInfo): void;
  /** The agent can't resume the session, so somebody has to choose how to continue. */
  recovery(offer: RecoveryOffer): void;
  event(session: Session, event: SessionEvent): void;
  error(error: HostErrorData, stderrTail?: string): void;
  /** For people only; programs do not need it. */
  note(text: string): void;
  /** The last call. Resolves once all output has left the process. */
  end(): Promise<void>;
}
