import type {
  AgentInfo,
  AgentStatus,
  ContentBlock,
  ConversationContext,
  HostError,
  HostErrorData,
  Session,
  SessionEvent,
  SessionUpdate,
} from '../../core/index.js';

/** What a new session can take over from one that the agent does not take up. */
export interface RecoveryOffer {
  readonly sessionId: string;
  readonly reason: HostError;
  /** Without turns where nothing was kept: then there is only a fresh start. */
  readonly context: ConversationContext;
  /** The context as a part of the first prompt. */
  readonly block: ContentBlock | undefined;
}

/** Where a run shows what happens. Everything comes in the order in which it happened. */
export interface Output {
  status(status: AgentStatus, info: AgentInfo | undefined): void;
  opened(session: Session, info: AgentInfo): void;
  /** The agent does not take the session up; somebody has to choose how to go on. */
  recovery(offer: RecoveryOffer): void;
  update(session: Session, update: SessionUpdate): void;
  event(session: Session, event: SessionEvent): void;
  error(error: HostErrorData, stderrTail?: string): void;
  /** Something that only a person wants to know. */
  note(text: string): void;
  /** The last call. Resolves when all of it has left the process. */
  end(): Promise<void>;
}
