import type { AgentBackend, AgentCapabilities, BackendEvent, OpenedSession, SessionOptions } from '../backends/agentBackend.js';
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { HostError, type HostErrorCode, toHostError } from '../base/errors.js';
import { Emitter } from '../base/event.js';
import type { Redactor } from '../base/redact.js';
import type { UserRequestRegistry } from '../services/userRequests.js';
import type { SessionEvent } from '../session/event.js';
import { readConversation } from '../journal/journalStore.js';
import type { SessionState, TurnOutcome } from '../session/model.js';
import { emptySession } from '../session/reducer.js';
import type { AgentHost, AgentHostOptions, Session } from './api.js';
import { checkRecall, recallNotice } from './recallCheck.js';
import { applyOpened, restoreSettings } from './openedSession.js';
import type { ReplayRecord } from './replayRecord.js';
import { HostSession } from './hostSession.js';

export interface SessionsParts {
  readonly host: AgentHost;
  readonly options: Pick<AgentHostOptions, 'cwd' | 'mcpServers' | 'journals' | 'log'>;
  readonly redactor: Redactor;
  readonly requests: UserRequestRegistry;
  readonly clock: Clock;
  /** A session's turn or its open requests changed, so the agent's status may have. */
  readonly onActivity: (ended?: TurnOutcome) => void;
}

/** The agent that runs now, and what it can do. */
export interface RunningAgent {
  readonly backend: AgentBackend;
  readonly capabilities: AgentCapabilities;
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
/** The agent runs and does not take the conversation up: asked again it would say the same. */
const refusalCodes: ReadonlySet<HostErrorCode> = new Set(['session_unknown', 'unsupported', 'request_failed', 'invalid_response']);

/** The conversations of one agent, and how they get into its process. */
export class HostSessions implements Disposable {
  readonly #parts: SessionsParts;
  readonly #known = new Map<string, HostSession>();
  readonly #onSession = new Emitter<Session>();
  readonly #closing = new Map<string, Promise<void>>();

  constructor(parts: SessionsParts) {
    this.#parts = parts;
  }

  readonly onSession = this.#onSession.event;

  get known(): ReadonlyMap<string, HostSession> {
    return this.#known;
  }

  /** @param continues the session that it goes on from @throws HostError as AgentBackend.newSession */
  openNew({ backend }: RunningAgent, continues: string | undefined): Promise<HostSession> {
    const { options, clock } = this.#parts;
    return backend.newSession(this.#options(), (opened) => {
      const session = this.#create(emptySession(opened.sessionId, options.cwd, clock.now()), 'begin');
      session.connect(backend);
      session.emit({
        type: 'opened',
        at: clock.now(),
        cwd: options.cwd,
        ...(continues === undefined ? { how: 'new' } : { how: 'fresh', continues }),
      });
      applyOpened(session, opened, clock);
      this.#register(session);
      return session;
    });
  }

  /** What is known of an earlier conversation; undefined where nothing was kept. @throws HostError `storage_failed` */
  async kept(sessionId: string, known: SessionState | undefined): Promise<SessionState | undefined> {
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
   * The conversation goes on in this process: loaded, or resumed where the agent cannot load it.
   * @param kept the transcript that stands; without one the agent's replay becomes it
   * @throws HostError as AgentBackend.loadSession; one of the agent's refusals is kept in the session, where there was one before
   */
  async resume({ backend, capabilities }: RunningAgent, sessionId: string, kept: SessionState | undefined): Promise<HostSession> {
    const { options, clock } = this.#parts;
    const ways = resumeMethods(capabilities);
    const before = this.#same(sessionId, kept);
    const session = before ?? this.#create(kept ?? emptySession(sessionId, options.cwd, clock.now()), 'open');
    // Registered first: the replay comes before the answer.
    this.#know(session);
    try {
      if (ways.length === 0) throw new HostError('unsupported', `${this.#parts.host.agent.label} cannot take up earlier conversations`);
      const opened = await this.#enter(backend, session, ways, kept);
      session.connect(backend);
      applyOpened(session, opened, clock);
      if (kept !== undefined) await restoreSettings(session, kept, opened, clock);
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
    backend: AgentBackend,
    session: HostSession,
    [way, ...others]: readonly ResumeMethod[],
    kept: SessionState | undefined,
  ): Promise<OpenedSession> {
    const {
      options: { cwd },
      clock,
    } = this.#parts;
    const enter = (): Promise<OpenedSession> =>
      way === 'resumed' ? backend.resumeSession(session.id, this.#options()) : backend.loadSession(session.id, this.#options());
    session.emit({
      type: 'opened',
      at: clock.now(),
      cwd,
      how: way ?? 'loaded',
      ...(kept?.continues === undefined ? {} : { continues: kept.continues }),
    });
    try {
      if (kept === undefined) return await enter();
      const { result, replay } = await session.withoutReplay(enter);
      if (way === 'loaded') this.#tellMemory(session, kept, replay);
      return result;
    } catch (error) {
      if (others.length === 0 || finalCodes.has(toHostError(error).code)) throw error;
      this.#parts.options.log?.warn('A conversation could not be loaded; it is resumed without its replay', error);
      return this.#enter(backend, session, others, kept);
    }
  }

  /** What the agent forgot is kept, and said to be forgotten; once, however often it is taken up. */
  #tellMemory(session: HostSession, kept: SessionState, replay: ReplayRecord): void {
    const { redactor, host, clock } = this.#parts;
    const notice = recallNotice(
      host.agent.label,
      checkRecall(kept, replay, (text) => redactor.text(text)),
    );
    const lastPrompt = kept.items.findLastIndex((item) => item.kind === 'message' && item.role === 'user');
    const isKnown = kept.items.slice(lastPrompt + 1).some((item) => item.kind === 'notice' && item.title === notice?.title);
    if (notice !== undefined && !isKnown) session.emit({ type: 'notice', at: clock.now(), severity: 'warning', ...notice });
  }

  /**
   * The user is done with it: what runs in it is cancelled, and it is not taken up again after a loss.
   * @param isClosable the agent can forget it; otherwise the agent holds it until it ends, and so do we: it would refuse to load what it has open
   */
  async close(sessionId: string, isClosable: boolean): Promise<void> {
    const session = this.#known.get(sessionId);
    if (session === undefined || this.#closing.has(sessionId)) return this.#closing.get(sessionId);
    session.detach();
    if (session.live && !isClosable) return;
    const closing = this.#close(session).finally(() => this.#closing.delete(sessionId));
    this.#closing.set(sessionId, closing);
    return closing;
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
      throw new HostError(
        'session_unknown',
        `${this.#parts.host.agent.label} has given the id of this conversation (${sessionId}) to another one, which is open`,
      );
    }
    session.reactivate();
    return session;
  }

  /** Those whose process went away under a user who had not left them, the newest conversation last. A session without words is nothing to take up. */
  lost(): readonly HostSession[] {
    const lost = [...this.#known.values()].filter((session) => session.lost && session.state.items.length > 0);
    return lost.sort((one, other) => one.lastSaidAt - other.lastSaidAt);
  }

  /** @returns false when there is no such session */
  deliver(event: Extract<BackendEvent, { sessionId: string }>): boolean {
    const session = this.#known.get(event.sessionId);
    if (event.type === 'update') session?.emitUpdate(event.update);
    else session?.emit(event.event);
    return session !== undefined;
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

  #options(): SessionOptions {
    const { cwd, mcpServers = [] } = this.#parts.options;
    return { cwd, mcpServers };
  }

  /** @param how `begin`: what is kept under its id is another conversation */
  #create(initial: SessionState, how: 'begin' | 'open'): HostSession {
    const { host, options, requests, clock, onActivity } = this.#parts;
    const { sessionId, cwd, createdAt } = initial;
    const journal = options.journals?.[how]({ sessionId, cwd, createdAt, agentId: host.agent.id });
    return new HostSession({ host, requests, clock, initial, journal, onActivity });
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

type ResumeMethod = 'loaded' | 'resumed';

/** The ways into an earlier conversation that the agent offers, the best first. */
function resumeMethods({ loadSession, sessionCapabilities }: AgentCapabilities): readonly ResumeMethod[] {
  return [...(loadSession === true ? (['loaded'] as const) : []), ...(sessionCapabilities?.resume == null ? [] : (['resumed'] as const))];
}
