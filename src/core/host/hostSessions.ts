import { isDeepStrictEqual } from 'node:util';
import type { AgentBackend, BackendSession, McpServer, ResumeMethod } from '../backends/agentBackend.js';
import { loadableFrom } from '../agents/knownAgents.js';
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { HostError, type HostErrorCode, toHostError } from '../base/errors.js';
import { Emitter } from '../base/event.js';
import type { Redactor } from '../base/redact.js';
import { readConversation } from '../journal/journalStore.js';
import type { UserRequestRegistry } from '../services/userRequests.js';
import type { SessionEvent } from '../session/event.js';
import type { HostNotice } from '../session/hostNotice.js';
import type { SessionState, TurnOutcome } from '../session/model.js';
import { emptySession } from '../session/reducer.js';
import type { AgentHost, AgentHostOptions, Session } from './api.js';
import { HostSession } from './hostSession.js';
import { checkRecall, recallNotice } from './recallCheck.js';
import { ReplayRecord } from './replayRecord.js';
import { restoreOptions } from './restoreOptions.js';

export interface SessionsParts {
  readonly host: AgentHost;
  readonly options: Pick<AgentHostOptions, 'cwd' | 'mcpServers' | 'journals' | 'log' | 'keepsChunks'>;
  readonly redactor: Redactor;
  readonly requests: UserRequestRegistry;
  readonly clock: Clock;
  /** A session's turn or its requests changed, so the agent's status may have. */
  readonly onActivity: (ended?: TurnOutcome) => void;
}

/** After these another way into the same session leads nowhere either, or, while a load may still go on, would bring its replay in beside it. */
const finalCodes: ReadonlySet<HostErrorCode> = new Set([
  'session_unknown',
  'auth_required',
  'request_timeout',
  'agent_exited',
  'cancelled',
  'disposed',
]);
/** The agent runs and does not resume the conversation: asked again it would say the same. */
const refusalCodes: ReadonlySet<HostErrorCode> = new Set(['session_unknown', 'unsupported', 'request_failed', 'invalid_response']);

const openedByMethod = { load: 'loaded', resume: 'resumed' } as const;

/** What the agent can be expected to know. */
function withoutRunningTurn(state: SessionState): SessionState {
  const { turn } = state;
  if (turn.type === 'idle') return state;
  return { ...state, items: state.items.filter((item) => !('turnId' in item) || item.turnId !== turn.turnId) };
}

/** The conversations of one agent, and how they get into its process. */
export class HostSessions implements Disposable {
  readonly #parts: SessionsParts;
  readonly #known = new Map<string, HostSession>();
  readonly #onSession = new Emitter<Session>();
  readonly #closing = new Map<string, Promise<void>>();
  /** Sessions that wait until they can be loaded. */
  #untilMinute = 0;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
  }

  readonly onSession = this.#onSession.event;

  get known(): ReadonlyMap<string, HostSession> {
    return this.#known;
  }

  /** A turn runs in one of them. */
  get isBusy(): boolean {
    return [...this.#known.values()].some(({ busy }) => busy);
  }

  /** What a session that is being opened waits for. */
  get awaiting(): 'session' | 'next_minute' {
    return this.#untilMinute > 0 ? 'next_minute' : 'session';
  }

  /** @param continues the session that it goes on from @throws HostError as BackendSessions.open */
  async openNew({ sessions }: Pick<AgentBackend, 'sessions'>, continues: string | undefined): Promise<HostSession> {
    const { options, clock } = this.#parts;
    let session: HostSession | undefined;
    await sessions.open(
      { method: 'new', ...this.#setup() },
      {
        begin: (opened) => {
          const at = clock.now();
          session = this.#create(emptySession(opened.id, options.cwd, at), 'begin');
          session.connect(opened, this.#reentry(sessions, session));
          session.emit({
            type: 'opened',
            at,
            cwd: options.cwd,
            ...(continues === undefined ? { by: 'new' } : { by: 'replacement', continues }),
          });
          session.emit({ type: 'options', at, options: opened.options });
          this.#register(session);
        },
        history: (event) => session?.emit(event),
        event: (event) => session?.emit(event),
      },
    );
    if (session === undefined) throw new HostError('internal', { reason: 'session_not_begun' });
    return session;
  }

  /** What is known of an earlier conversation; undefined where nothing was saved. @throws HostError `storage_failed` */
  async saved(sessionId: string, known: SessionState | undefined): Promise<SessionState | undefined> {
    const {
      options: { journals },
      host,
    } = this.#parts;
    return (
      this.#same(sessionId, known)?.state ??
      known ??
      (journals === undefined ? undefined : await readConversation(journals, host.agent.id, sessionId))
    );
  }

  /** The session of the id, unless the conversation that is meant is another one: some agents give their ids again. */
  #same(sessionId: string, meant: SessionState | undefined): HostSession | undefined {
    const session = this.#known.get(sessionId);
    return meant === undefined || session?.state.createdAt === meant.createdAt ? session : undefined;
  }

  /**
   * The conversation goes on in this process, by the best method that the agent offers.
   * @param saved the transcript that stands; without one the agent's replay becomes it
   * @throws HostError as BackendSessions.open; a refusal of the agent stays in the session, where there was one before
   */
  async resume({ sessions }: Pick<AgentBackend, 'sessions'>, sessionId: string, saved: SessionState | undefined): Promise<HostSession> {
    const { options, clock } = this.#parts;
    const before = this.#same(sessionId, saved);
    const session = before ?? this.#create(saved ?? emptySession(sessionId, options.cwd, clock.now()), 'open');
    // Known first: the replay comes before the answer.
    this.#know(session);
    try {
      if (sessions.resumeMethods.length === 0) throw new HostError('unsupported', { reason: 'resume' });
      await this.#untilLoadable(session.state.createdAt);
      const opened = await this.#enter(sessions, session, sessions.resumeMethods, saved);
      session.connect(opened, this.#reentry(sessions, session));
      session.emit({ type: 'options', at: clock.now(), options: opened.options });
      if (saved !== undefined) await session.whileRestoring(() => restoreOptions(session, saved.options, opened, clock));
    } catch (thrown) {
      const error = toHostError(thrown);
      if (before === undefined) this.#forget(session);
      else if (refusalCodes.has(error.code)) session.refusal = error;
      throw error;
    }
    this.#register(session);
    return session;
  }

  async #enter(
    sessions: AgentBackend['sessions'],
    session: HostSession,
    [method, ...others]: readonly ResumeMethod[],
    saved: SessionState | undefined,
  ): Promise<BackendSession> {
    const { options, clock } = this.#parts;
    if (method === undefined) throw new HostError('internal', { reason: 'no_resume_method' });
    const continues = saved?.continues === undefined ? {} : { continues: saved.continues };
    session.emit({ type: 'opened', at: clock.now(), cwd: options.cwd, by: openedByMethod[method], ...continues });
    const replay = saved === undefined ? undefined : new ReplayRecord();
    try {
      const request = { method, sessionId: session.id, knownOptions: saved?.options ?? [], ...this.#setup() };
      const opened = await sessions.open(
        request,
        session.sink(() => {}, replay),
      );
      if (method === 'load' && saved !== undefined && replay !== undefined) await this.#tellRecall(session, saved, replay, opened);
      // What comes then becomes the transcript, ahead of whatever is said next.
      if (saved === undefined) await opened.replayed;
      return opened;
    } catch (error) {
      if (others.length === 0 || finalCodes.has(toHostError(error).code)) throw error;
      options.log?.warn('A conversation could not be loaded; it is resumed without its replay', error);
      return this.#enter(sessions, session, others, saved);
    }
  }

  /** Some agents destroy a session that is loaded too early. */
  async #untilLoadable(createdAt: number): Promise<void> {
    const { host, clock, onActivity } = this.#parts;
    const waitMs = loadableFrom(host.info?.name ?? host.agent.id, createdAt) - clock.now();
    if (waitMs <= 0) return;
    this.#untilMinute++;
    onActivity();
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    this.#untilMinute--;
    onActivity();
  }

  /** How the agent gets a session again that it lost while it runs: on the same connection, without another word in the transcript. */
  #reentry(sessions: AgentBackend['sessions'], session: HostSession): () => Promise<void> {
    return async () => {
      const [method] = sessions.resumeMethods;
      if (method === undefined) throw new HostError('unsupported', { reason: 'resume' });
      const { clock, options, onActivity } = this.#parts;
      options.log?.warn('The agent lost a session that it had open; it is opened again', { sessionId: session.id });
      const before = withoutRunningTurn(session.state);
      await this.#untilLoadable(before.createdAt);
      const replay = new ReplayRecord();
      const request = { method, sessionId: session.id, knownOptions: before.options, ...this.#setup() };
      const opened = await sessions.open(
        request,
        session.sink(() => {}, replay),
      );
      session.connect(opened, this.#reentry(sessions, session));
      session.emit({ type: 'options', at: clock.now(), options: opened.options });
      await restoreOptions(session, before.options, opened, clock);
      if (method === 'load') await this.#tellRecall(session, before, replay, opened);
      onActivity();
    };
  }

  /** What the agent forgot is kept, and said to be forgotten; once, however often it is resumed. */
  async #tellRecall(session: HostSession, saved: SessionState, replay: ReplayRecord, opened: BackendSession): Promise<void> {
    const { redactor, clock } = this.#parts;
    const look = (): HostNotice | undefined => recallNotice(checkRecall(saved, replay, (text) => redactor.text(text)));
    // What seems to be missing may still be told.
    if (look() !== undefined) await opened.replayed;
    const notice = look();
    const lastPrompt = saved.items.findLastIndex((item) => item.kind === 'message' && item.role === 'user');
    const isKnown = saved.items
      .slice(lastPrompt + 1)
      .some((item) => item.kind === 'notice' && 'code' in item && isDeepStrictEqual({ code: item.code, params: item.params }, notice));
    if (notice !== undefined && !isKnown) session.emit({ type: 'host_notice', at: clock.now(), severity: 'warning', ...notice });
  }

  /**
   * The user is done with it: what runs in it is cancelled, and it is not resumed after a loss. An agent that cannot forget a session holds it until
   * it ends, and so do we: it would refuse to load what it has open.
   */
  async close(sessionId: string): Promise<void> {
    const session = this.#known.get(sessionId);
    if (session === undefined || this.#closing.has(sessionId)) return this.#closing.get(sessionId);
    session.detach();
    if (!session.isClosable) return;
    const closing = this.#close(session).finally(() => this.#closing.delete(sessionId));
    this.#closing.set(sessionId, closing);
    return closing;
  }

  /** Nothing more is heard of it, whether the agent has it open or not: another process works in it. */
  async forget(sessionId: string): Promise<void> {
    const session = this.#known.get(sessionId);
    await session?.flush();
    if (session !== undefined) this.#forget(session);
  }

  async #close(session: HostSession): Promise<void> {
    try {
      await session.closeInAgent();
    } catch (error) {
      this.#parts.options.log?.warn('The agent did not close a conversation', error);
    }
    await session.flush();
    this.#forget(session);
  }

  /**
   * A conversation that the agent has open and the user comes back to.
   * @throws HostError `session_unknown` where the agent has another one open under that id
   */
  async live(sessionId: string, meant: SessionState | undefined): Promise<HostSession | undefined> {
    await this.#closing.get(sessionId);
    const session = this.#known.get(sessionId);
    if (session?.live !== true) return undefined;
    if (session !== this.#same(sessionId, meant)) {
      throw new HostError('session_unknown', { reason: 'id_reused', sessionId });
    }
    session.reactivate();
    return session;
  }

  /** Those whose process went away under a user who had not left them, the newest conversation last. A session without words is nothing to resume. */
  lost(): readonly HostSession[] {
    const lost = [...this.#known.values()].filter((session) => session.lost && session.state.items.length > 0);
    return lost.sort((one, other) => one.lastSaidAt - other.lastSaidAt);
  }

  emit(sessionId: string, event: SessionEvent): void {
    this.#known.get(sessionId)?.emit(event);
  }

  onAgentLost(error: HostError): void {
    for (const session of this.#known.values()) session.onAgentLost(error);
  }

  /** Resolves when everything said so far is on disk. */
  async flush(): Promise<void> {
    await Promise.all([...this.#known.values()].map((session) => session.flush()));
  }

  dispose(): void {
    for (const session of this.#known.values()) session.dispose();
    this.#known.clear();
    this.#onSession.dispose();
  }

  #setup(): { readonly cwd: string; readonly mcpServers: readonly McpServer[] } {
    const { cwd, mcpServers = [] } = this.#parts.options;
    return { cwd, mcpServers };
  }

  /** @param how `begin`: what is saved under its id is another conversation */
  #create(initial: SessionState, how: 'begin' | 'open'): HostSession {
    const { host, options, requests, clock, onActivity } = this.#parts;
    const { sessionId, cwd, createdAt } = initial;
    const journal = options.journals?.[how]({ sessionId, cwd, createdAt, agentId: host.agent.id });
    return new HostSession({ host, requests, clock, initial, journal, keepsChunks: options.keepsChunks === true, onActivity });
  }

  /** Told before anything that the agent says of it, so that a front end that subscribes now misses nothing. */
  #register(session: HostSession): void {
    this.#know(session);
    this.#onSession.fire(session);
  }

  #know(session: HostSession): void {
    const before = this.#known.get(session.id);
    this.#known.set(session.id, session);
    // The agent gave the id again: nothing of the earlier conversation can come any more.
    if (before !== session) before?.dispose();
  }

  #forget(session: HostSession): void {
    if (this.#known.get(session.id) === session) this.#known.delete(session.id);
    session.dispose();
  }
}
