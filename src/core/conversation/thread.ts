import type { Disposable } from '../base/disposable.js';
import type { ForkPoint, Session, SessionBatch } from '../host/api.js';
import { isPrompt, type MessageItem, type SessionState, type TranscriptItem } from '../session/model.js';
import type { SharedAgent } from './agentPool.js';
import { isContextBlock } from './context.js';
import type { ConversationPlace } from './ports.js';
import { type SessionKey, sessionsOf } from './state.js';

/** A session in its state when it was opened, and its events before anyone showed it: an agent may send something at once. */
export interface SessionBeginning {
  readonly state: SessionState;
  readonly batches: readonly SessionBatch[];
}

type SessionListener = Parameters<Session['onBatch']>[0];

/** What the screen shows of a session. */
type Shown =
  | { readonly type: 'nothing' }
  /** Only its ID is known: the agent has the messages. */
  | { readonly type: 'named'; readonly sessionId: string }
  | { readonly type: 'saved'; readonly state: SessionState }
  | {
      readonly type: 'open';
      readonly session: Session;
      readonly hold: Disposable;
      readonly watching: Disposable;
    };

/** The part of a conversation on screen: the current session, open or as it was saved, and the earlier sessions that it continues. */
export class Thread implements Disposable {
  readonly #onBatch: SessionListener;
  readonly #onBegun: (beginning: SessionBeginning) => void;
  #shown: Shown = { type: 'nothing' };
  #agentId: string | undefined;
  #earlier: readonly SessionState[] = [];

  /** @param onBatch called for changes in the open session @param onBegun called when another session is open */
  constructor(onBatch: SessionListener, onBegun: (beginning: SessionBeginning) => void) {
    this.#onBatch = onBatch;
    this.#onBegun = onBegun;
  }

  /** Undefined if nothing was opened yet, or if the agent of the session was ended. */
  get session(): Session | undefined {
    return this.#shown.type === 'open' ? this.#shown.session : undefined;
  }

  /** Undefined also if its agent is gone. */
  get liveSession(): Session | undefined {
    return this.session?.live === true ? this.session : undefined;
  }

  get state(): SessionState | undefined {
    return this.#shown.type === 'open' ? this.#shown.session.state : this.#shown.type === 'saved' ? this.#shown.state : undefined;
  }

  /** The session to resume. A session without messages is not resumed. */
  get toResume(): { readonly sessionId: string; readonly known: SessionState | undefined } | undefined {
    if (this.#shown.type === 'named') return { sessionId: this.#shown.sessionId, known: undefined };
    const { state } = this;
    return state === undefined || state.items.length === 0 ? undefined : { sessionId: state.sessionId, known: state };
  }

  /** The agent that the conversation belongs to, once it has messages. */
  get boundAgentId(): string | undefined {
    return this.toResume === undefined && this.#earlier.length === 0 ? undefined : this.#agentId;
  }

  /** Oldest first, each in its last state. They belong to the same agent, which doesn't remember them. */
  get earlierSessions(): readonly SessionState[] {
    return this.#earlier;
  }

  /** What is saved to return to the session. Undefined if there is none, and none before. */
  get place(): Omit<ConversationPlace, 'withContext' | 'fork'> | undefined {
    const earlier = this.#earlier.at(-1);
    // A session without messages is not resumed.
    const { toResume } = this;
    const sessionId = toResume?.sessionId ?? earlier?.sessionId;
    if (this.#agentId === undefined || sessionId === undefined) return undefined;
    return { agentId: this.#agentId, sessionId, over: toResume === undefined ? earlier?.id : undefined };
  }

  /** Whether it is at this session, or continued from it. */
  isAt({ agentId, sessionId }: SessionKey): boolean {
    const all = [this.toResume ?? this.state, ...this.#earlier];
    return this.#agentId === agentId && all.some((one) => one?.sessionId === sessionId);
  }

  promptOf(turnId: string): MessageItem | undefined {
    for (const session of [this.state, ...this.#earlier]) {
      const prompt = session?.items.filter(isPrompt).find((item) => item.turnId === turnId);
      if (prompt !== undefined) return prompt;
    }
    return undefined;
  }

  /**
   * Where the agent may fork a session to continue from before a turn: after its last message before it, or at the end of the session before.
   * Undefined if it said nothing there, or did something else after it.
   */
  forkPointOf(turnId: string): ForkPoint | undefined {
    const sessions = sessionsOf({ earlierSessions: this.#earlier, session: this.state });
    const index = sessions.findIndex(({ items }) => items.some((item) => isOfTurn(item, turnId)));
    const { sessionId, items } = sessions[index] ?? emptyThread;
    const before = items.slice(
      0,
      items.findIndex((item) => isOfTurn(item, turnId)),
    );
    const last = before.findLast(isSaid);
    if (last !== undefined) return placeAfter(sessionId, last);
    const earlier = sessions[index - 1];
    if (earlier === undefined) return undefined;
    // A branch has only the beginning of the session that it continues, which goes on in the agent.
    const isBranch =
      sessions[index]?.fork !== undefined || items.some((item) => item.kind === 'message' && item.content.some(isContextBlock));
    return isBranch ? placeAfter(earlier.sessionId, earlier.items.findLast(isSaid)) : { sessionId: earlier.sessionId };
  }

  /** Makes this session the current one. */
  adopt(session: Session, agent: SharedAgent, beginning: SessionBeginning): void {
    this.#agentId = agent.host.agent.id;
    if (this.#shown.type === 'open' && this.#shown.session === session) return;
    const before = this.#shown;
    this.#onBegun(beginning);
    this.#shown = { type: 'open', session, hold: agent.hold(session), watching: session.onBatch(this.#onBatch) };
    if (before.type === 'open') letGo(before);
  }

  /** @param saved absent: the session has no messages yet */
  show(agentId: string, saved: SessionState | undefined, earlier: readonly SessionState[]): void {
    this.leave();
    this.#agentId = agentId;
    if (saved !== undefined) this.#shown = { type: 'saved', state: saved };
    this.#earlier = earlier;
  }

  /** Shows a session of which nothing is saved here. */
  name({ agentId, sessionId }: SessionKey): void {
    this.leave();
    this.#agentId = agentId;
    this.#shown = { type: 'named', sessionId };
  }

  /** Keeps the last state of the session when its agent ends or is left. */
  freeze(): void {
    if (this.#shown.type !== 'open') return;
    const { session } = this.#shown;
    letGo(this.#shown);
    this.#shown = { type: 'saved', state: session.state };
  }

  /**
   * Clears the screen. Stops the session's turn, and doesn't resume it automatically after a loss of the agent; the user may come back to
   * it.
   */
  leave(): void {
    if (this.#shown.type === 'open') letGo(this.#shown);
    this.#shown = { type: 'nothing' };
    this.#earlier = [];
  }

  /** Makes the current session an earlier one, if it has messages. */
  archiveCurrent(): void {
    const { state } = this;
    const earlier = state === undefined || state.items.length === 0 ? this.#earlier : [...this.#earlier, state];
    this.leave();
    this.#earlier = earlier;
  }

  dispose(): void {
    if (this.#shown.type === 'open') letGo(this.#shown);
  }
}

const emptyThread = { sessionId: '', items: [] } satisfies Partial<SessionState>;

const isSaid = ({ kind }: TranscriptItem): boolean => kind === 'message' || kind === 'tool';

function placeAfter(sessionId: string, last: TranscriptItem | undefined): ForkPoint | undefined {
  const isEnd = last?.kind === 'message' && last.role === 'agent' && last.subagentId === undefined && last.messageId !== undefined;
  return isEnd && last.messageId !== undefined ? { sessionId, messageId: last.messageId } : undefined;
}

function isOfTurn(item: TranscriptItem, turnId: string): boolean {
  return 'turnId' in item && item.turnId === turnId;
}

function letGo({ hold, watching }: Extract<Shown, { type: 'open' }>): void {
  watching.dispose();
  hold.dispose();
}
