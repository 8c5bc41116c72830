import type { ContentBlock, Disposable, Session, SessionState } from '../../core/index.js';
import type { ConversationRecord, SessionKey } from './ports.js';

const nothingQueued: SessionState['queue'] = [];

/** What of a conversation is on screen: the session that goes on, live or as it was kept, and what stands above it. */
export class Thread implements Disposable {
  readonly #onChange: () => void;
  #session: Session | undefined;
  #kept: SessionState | undefined;
  #agentId: string | undefined;
  #above: readonly SessionState[] = [];
  #watching: Disposable | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Absent: nothing was opened in this window yet, or its agent was ended. */
  get session(): Session | undefined {
    return this.#session;
  }

  get state(): SessionState | undefined {
    return this.#session?.state ?? this.#kept;
  }

  get live(): boolean {
    return this.#session?.live === true;
  }

  /** A session in which nothing was said is nothing to take up. */
  get hasWords(): boolean {
    return (this.state?.items.length ?? 0) > 0;
  }

  /** Messages that stand behind the running turn. */
  get queue(): SessionState['queue'] {
    return this.#session?.state.queue ?? nothingQueued;
  }

  /** Whose the conversation is. */
  get agentId(): string | undefined {
    return this.#agentId;
  }

  /** Oldest first, each as it was at its end. They are the same agent's, which took no part in them as it is now. */
  get earlierSessions(): readonly SessionState[] {
    return this.#above;
  }

  /** What the window remembers of it. Absent: there is no session. */
  get place(): Omit<ConversationRecord, 'withContext'> | undefined {
    const { state } = this;
    if (state === undefined || this.#agentId === undefined) return undefined;
    return { agentId: this.#agentId, sessionId: state.sessionId, createdAt: state.createdAt, continues: this.continues };
  }

  /** The session that this one goes on from. */
  get continues(): string | undefined {
    return this.#above.at(-1)?.sessionId;
  }

  isAt({ agentId, sessionId, createdAt }: SessionKey): boolean {
    const { state } = this;
    return this.#agentId === agentId && state?.sessionId === sessionId && (createdAt === undefined || state.createdAt === createdAt);
  }

  /** Turns are counted in each session: one that stands above may have the id of one below. */
  promptOf(turnId: string, session = this.state): readonly ContentBlock[] | undefined {
    const prompt = session?.items.find((item) => item.kind === 'message' && item.role === 'user' && item.turnId === turnId);
    return prompt?.kind === 'message' ? prompt.content : undefined;
  }

  /** This session goes on from here. */
  adopt(session: Session, agentId: string): void {
    this.#session = session;
    this.#agentId = agentId;
    this.#kept = undefined;
    this.#watching?.dispose();
    this.#watching = session.onState(this.#onChange);
  }

  /** Shows what was kept of a conversation. */
  show(agentId: string, kept: SessionState | undefined, above: readonly SessionState[]): void {
    this.leave();
    this.#agentId = agentId;
    this.#kept = kept;
    this.#above = above;
  }

  /** The agent ends: what was said stays, as it was at the end. */
  freeze(): void {
    this.#kept = this.state;
    this.#watching?.dispose();
    this.#session = undefined;
  }

  /** Nothing is on screen any more. Its turn is stopped, and after a loss of the agent it is not taken up by itself; the user may come back to it. */
  leave(): void {
    if (this.#session !== undefined) void this.#session.host.closeSession(this.#session.id);
    this.#watching?.dispose();
    this.#session = undefined;
    this.#kept = undefined;
    this.#above = [];
  }

  /** What was said until now stands above what comes. */
  archiveCurrent(): void {
    const { state } = this;
    const above = state === undefined ? this.#above : [...this.#above, state];
    this.leave();
    this.#above = above;
  }

  dispose(): void {
    this.#watching?.dispose();
  }
}
