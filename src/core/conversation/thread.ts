import type { Disposable } from '../base/disposable.js';
import type { Session } from '../host/api.js';
import type { ContentBlock, SessionState } from '../session/model.js';
import type { AgentLease } from './agentPool.js';
import type { ConversationPlace } from './ports.js';
import type { SessionBeginning } from './sessionBeginning.js';
import type { SessionKey } from './state.js';

type SessionListener = Parameters<Session['onBatch']>[0];

/** What is on screen of a session. */
type Shown =
  | { readonly type: 'nothing' }
  /** Known by its id only: it is the agent that knows what was said. */
  | { readonly type: 'named'; readonly sessionId: string; readonly createdAt: number | undefined }
  | { readonly type: 'saved'; readonly state: SessionState }
  | { readonly type: 'open'; readonly session: Session; readonly hold: Disposable; readonly watching: Disposable };

/** What of a conversation is on screen: the session that goes on, open or as it was saved, and the earlier ones that it goes on from. */
export class Thread implements Disposable {
  readonly #onBatch: SessionListener;
  readonly #onBegun: (beginning: SessionBeginning) => void;
  #shown: Shown = { type: 'nothing' };
  #agentId: string | undefined;
  #earlier: readonly SessionState[] = [];

  /** @param onBatch something happened in the open session @param onBegun another one is open */
  constructor(onBatch: SessionListener, onBegun: (beginning: SessionBeginning) => void) {
    this.#onBatch = onBatch;
    this.#onBegun = onBegun;
  }

  /** Absent: nothing was opened yet, or its agent was ended. */
  get session(): Session | undefined {
    return this.#shown.type === 'open' ? this.#shown.session : undefined;
  }

  get state(): SessionState | undefined {
    return this.#shown.type === 'open' ? this.#shown.session.state : this.#shown.type === 'saved' ? this.#shown.state : undefined;
  }

  /** The session to resume. A session in which nothing was said is nothing to resume. */
  get toResume(): { readonly sessionId: string; readonly known: SessionState | undefined } | undefined {
    if (this.#shown.type === 'named') return { sessionId: this.#shown.sessionId, known: undefined };
    const { state } = this;
    return state === undefined || state.items.length === 0 ? undefined : { sessionId: state.sessionId, known: state };
  }

  /** Whose the conversation is, once something was said in it. */
  get boundAgentId(): string | undefined {
    return this.toResume === undefined ? undefined : this.#agentId;
  }

  /** Oldest first, each as it was at its end. They are the same agent's, which took no part in them as it is now. */
  get earlierSessions(): readonly SessionState[] {
    return this.#earlier;
  }

  /** What a front end remembers of it. Absent: there is no session. */
  get place(): Omit<ConversationPlace, 'withContext'> | undefined {
    if (this.#agentId === undefined) return undefined;
    const { sessionId, createdAt } = this.#shown.type === 'named' ? this.#shown : (this.state ?? {});
    return sessionId === undefined ? undefined : { agentId: this.#agentId, sessionId, createdAt, continues: this.continues };
  }

  /** The session that this one goes on from. */
  get continues(): string | undefined {
    return this.#earlier.at(-1)?.sessionId;
  }

  isAt({ agentId, sessionId, createdAt }: SessionKey): boolean {
    const { place } = this;
    return place?.agentId === agentId && place.sessionId === sessionId && (createdAt === undefined || place.createdAt === createdAt);
  }

  /** @param key absent: the session on screen */
  promptOf(turnId: string, key?: Pick<SessionKey, 'sessionId' | 'createdAt'>): readonly ContentBlock[] | undefined {
    const { state } = this;
    const all = state === undefined ? this.#earlier : [...this.#earlier, state];
    const session = key === undefined ? state : all.findLast((one) => isSession(one, key));
    const prompt = session?.items.find((item) => item.kind === 'message' && item.role === 'user' && item.turnId === turnId);
    return prompt?.kind === 'message' ? prompt.content : undefined;
  }

  /** This session goes on from here. */
  adopt(session: Session, lease: AgentLease, beginning: SessionBeginning): void {
    this.#agentId = lease.agentId;
    if (this.#shown.type === 'open' && this.#shown.session === session) return;
    const before = this.#shown;
    this.#onBegun(beginning);
    this.#shown = { type: 'open', session, hold: lease.hold(session), watching: session.onBatch(this.#onBatch) };
    if (before.type === 'open') letGo(before);
  }

  /** @param saved absent: nothing was said in it yet */
  show(agentId: string, saved: SessionState | undefined, earlier: readonly SessionState[]): void {
    this.leave();
    this.#agentId = agentId;
    if (saved !== undefined) this.#shown = { type: 'saved', state: saved };
    this.#earlier = earlier;
  }

  /** Shows a session of which nothing is saved here. */
  name({ agentId, sessionId, createdAt }: SessionKey): void {
    this.leave();
    this.#agentId = agentId;
    this.#shown = { type: 'named', sessionId, createdAt };
  }

  /** The agent ends, or is left: what was said stays, as it was at the end. */
  freeze(): void {
    if (this.#shown.type !== 'open') return;
    const { session } = this.#shown;
    letGo(this.#shown);
    this.#shown = { type: 'saved', state: session.state };
  }

  /** Nothing is on screen any more. Its turn is stopped, and after a loss of the agent it is not resumed by itself; the user may come back to it. */
  leave(): void {
    if (this.#shown.type === 'open') letGo(this.#shown);
    this.#shown = { type: 'nothing' };
    this.#earlier = [];
  }

  /** What was said until now becomes an earlier session. */
  archiveCurrent(): void {
    const { state } = this;
    const earlier = state === undefined ? this.#earlier : [...this.#earlier, state];
    this.leave();
    this.#earlier = earlier;
  }

  dispose(): void {
    if (this.#shown.type === 'open') letGo(this.#shown);
  }
}

function letGo({ hold, watching }: Extract<Shown, { type: 'open' }>): void {
  watching.dispose();
  hold.dispose();
}

function isSession(state: SessionState, { sessionId, createdAt }: Pick<SessionKey, 'sessionId' | 'createdAt'>): boolean {
  return state.sessionId === sessionId && (createdAt === undefined || state.createdAt === createdAt);
}
