import { randomUUID } from 'node:crypto';
import { systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import type { BackendSession, SessionSink } from '../backends/agentBackend.js';
import { HostError } from '../base/errors.js';
import { Emitter } from '../base/event.js';
import type { CallRequests, UserRequestRegistry } from '../services/userRequests.js';
import type { SessionEvent } from '../session/event.js';
import type { SessionState, TurnOutcome } from '../session/model.js';
import { emptySession, originOf } from '../session/reducer.js';
import type { NewSession, Session, SessionAgent, SessionOwner } from './api.js';
import { HostSession } from './hostSession.js';
import { historyTo, ReplayRecord } from './recallCheck.js';
import { type HeldFork, type RunningAgent, SessionEntry, type SessionEntryParts } from './sessionEntry.js';
import { RunNotices } from './unaskedActs.js';

export interface SessionsParts extends SessionEntryParts {
  readonly host: SessionAgent;
  readonly requests: UserRequestRegistry;
  readonly calls: CallRequests;
  /** How many messages of the agent could not be read, over all of its runs. */
  readonly unread: () => number;
  /** A session's turn or its requests changed, so the agent's status may have changed. */
  readonly onActivity: (ended?: TurnOutcome) => void;
}

/** The conversations of one agent: the known ones, the open ones, and how they end. */
export class HostSessions implements Disposable {
  readonly #parts: SessionsParts;
  readonly #known = new Map<string, HostSession>();
  readonly #onSession = new Emitter<Session>();
  readonly #closing = new Map<Session, Promise<void>>();
  /** By their IDs, until they are opened. */
  readonly #forks = new Map<string, HeldFork>();
  readonly #entry: SessionEntry;
  readonly #notices: RunNotices;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
    this.#entry = new SessionEntry(parts);
    this.#notices = new RunNotices(parts.host, parts.unread);
  }

  readonly onSession = this.#onSession.event;

  get known(): ReadonlyMap<string, HostSession> {
    return this.#known;
  }

  /** A turn is running in one of them. */
  get isBusy(): boolean {
    return [...this.#known.values()].some(({ busySince }) => busySince !== undefined);
  }

  /** One of them has a turn that the agent has not ended. */
  get isMidTurn(): boolean {
    return [...this.#known.values()].some((session) => session.isMidTurn);
  }

  /** What a session that is being opened waits for. */
  get awaiting(): 'session' | 'next_minute' {
    return this.#entry.awaiting;
  }

  /** @throws HostError as BackendSessions.open */
  async openNew(agent: RunningAgent, { continues, fork, forkError, ...owner }: NewSession): Promise<HostSession> {
    const { options, calls } = this.#parts;
    let session: HostSession | undefined;
    const setup = await this.#entry.setup();
    const sink: SessionSink = {
      begin: (opened) => {
        const at = systemClock.now();
        session = this.#create(emptySession(opened.id, options.cwd, at, randomUUID()), owner, true);
        session.connect(opened, agent, this.#entry.reopener(agent, session));
        const by = fork !== undefined ? 'forked' : continues === undefined ? 'new' : 'replacement';
        session.emit({
          type: 'opened',
          at,
          cwd: options.cwd,
          by,
          ...originOf({ continues, fork: fork === undefined ? forkError : 'made' }),
        });
        session.emit({ type: 'options', at, options: opened.options });
        this.#entry.tellContext(session, setup, opened);
        session.warn(this.#entry.leftOut);
        this.#register(session);
      },
      // The conversation has what is before the fork.
      history: historyTo((event) => session?.emit(event), fork && new ReplayRecord()),
      event: (event) => session?.report(event),
    };
    const request = fork === undefined ? ({ method: 'new' } as const) : ({ method: 'fork', ...fork } as const);
    await calls
      .during(owner.asker, (requestUser) => agent.sessions.open({ ...request, ...setup }, { ...sink, requestUser }))
      .catch((error: unknown) => {
        if (session !== undefined) this.#forget(session);
        throw error;
      });
    if (session === undefined) throw new HostError('internal', { reason: 'session_not_begun' });
    return session;
  }

  /** @returns the ID of the fork, which is not one of the known sessions @throws HostError as BackendSessions.open */
  async fork({ sessions }: RunningAgent, sessionId: string): Promise<string> {
    const setup = await this.#entry.setup();
    const history: SessionEvent[] = [];
    let target: HostSession | undefined;
    const sink: SessionSink = {
      begin: () => {},
      history: (event) => (target === undefined ? history.push(event) : target.emit(event)),
      event: (event) => target?.report(event),
    };
    const opened = await sessions.open({ method: 'fork', sessionId, ...setup }, sink);
    // What follows loads it.
    if (opened.close !== undefined) await opened.close();
    else
      this.#forks.set(opened.id, {
        opened,
        lead(session) {
          target = session;
          for (const event of history) session.emit(event);
        },
      });
    return opened.id;
  }

  /**
   * Continues the conversation in this process, with the best method that the agent offers.
   * @param known the existing transcript; if absent, the agent's replay becomes the transcript
   * @throws HostError as BackendSessions.open
   */
  async resume(agent: RunningAgent, sessionId: string, known: SessionState | undefined, owner: SessionOwner): Promise<HostSession> {
    const { options, calls, requests } = this.#parts;
    const same = this.#known.get(sessionId);
    const before = known !== undefined && same?.state.id === known.id ? same : undefined;
    const saved = before?.state ?? known;
    const initial = saved ?? emptySession(sessionId, options.cwd, systemClock.now(), randomUUID());
    const session = before ?? this.#create(initial, owner, saved === undefined);
    // Half of a replay would be saved as a session of its own.
    if (saved === undefined) session.saveLater();
    // Registered first, because the replay precedes the response.
    this.#know(session);
    let opened: BackendSession | undefined;
    try {
      const fork = saved === undefined ? this.#forks.get(sessionId) : undefined;
      opened = await calls.during(owner.asker, (requestUser) => this.#entry.enter(agent, session, { saved, fork, requestUser }));
      this.#forks.delete(sessionId);
      this.#throwIfReplaced(session);
      session.emit({ type: 'options', at: systemClock.now(), options: opened.options });
      session.reactivate();
      // Until then, a prompt would run in the wrong mode.
      if (saved !== undefined) await session.restoreOptions(saved.options, opened, agent);
      this.#throwIfReplaced(session);
      session.connect(opened, agent, this.#entry.reopener(agent, session));
    } catch (thrown) {
      const isReplaced = this.#itself(session) === undefined;
      // The agent may go on asking in what it opened.
      if (opened !== undefined && !isReplaced) requests.cancelSession(sessionId, 'agent_gone', { later: true });
      if (before === undefined) this.#forget(session);
      // Whatever failed, it can't be continued: the agent has given its ID to another one.
      throw isReplaced ? idReused(sessionId) : thrown;
    }
    session.saveNow();
    this.#register(session);
    return session;
  }

  /**
   * Closes the session for the user: cancels what is running in it. An agent that can't close a session holds it until the agent ends, and so
   * does the host, because the agent would refuse to load a session that it has open.
   */
  async close(left: Session): Promise<void> {
    const session = this.#itself(left);
    if (session === undefined || this.#closing.has(left)) return this.#closing.get(left);
    session.detach();
    if (!session.isClosable) return;
    const closing = this.#close(session).finally(() => this.#closing.delete(left));
    this.#closing.set(left, closing);
    return closing;
  }

  /** Undefined if it has ended, even if the agent has given its ID to another session. */
  #itself(session: Session): HostSession | undefined {
    const known = this.#known.get(session.id);
    return known === session ? known : undefined;
  }

  async #close(session: HostSession): Promise<void> {
    try {
      await session.closeInAgent();
    } catch (error) {
      this.#parts.options.log?.warn('Could not close a session in the agent', error);
    }
    await session.flush();
    this.#forget(session);
  }

  /**
   * Returns a conversation that the agent has open and that the user comes back to.
   * @throws HostError `session_unknown` if the agent has another conversation open under that ID
   */
  async live(sessionId: string, meant: SessionState | undefined): Promise<HostSession | undefined> {
    const before = this.#known.get(sessionId);
    if (before !== undefined) await this.#closing.get(before);
    const session = this.#known.get(sessionId);
    if (session?.live !== true) return undefined;
    // Some agents reuse their IDs, so another conversation may be meant.
    if (meant !== undefined && session.state.id !== meant.id) throw idReused(sessionId);
    session.reactivate();
    return session;
  }

  onAgentLost(error: HostError): void {
    this.#forks.clear();
    for (const session of this.#known.values()) session.onAgentLost(error);
  }

  /** Resolves when everything is on disk, with the ends of turns whose agent has ended. */
  async settled(): Promise<void> {
    await Promise.all([...this.#known.values()].map((session) => session.settled()));
  }

  dispose(): void {
    for (const session of this.#known.values()) session.dispose();
    this.#known.clear();
    this.#onSession.dispose();
  }

  #create(initial: SessionState, owner: SessionOwner, isNew: boolean): HostSession {
    const { host, requests, onActivity } = this.#parts;
    const { id, sessionId, cwd, createdAt } = initial;
    const journal = owner.journal?.({ id, sessionId, cwd, createdAt, agentId: host.agent.id }, isNew);
    const { turns } = owner;
    return new HostSession({ host, requests, initial, journal, turns, notices: this.#notices, onActivity });
  }

  /** Registers the session before any of its events, so that a front end that subscribes now misses nothing. */
  #register(session: HostSession): void {
    this.#know(session);
    this.#onSession.fire(session);
  }

  #know(session: HostSession): void {
    const before = this.#known.get(session.id);
    this.#known.set(session.id, session);
    // The agent reused the ID: nothing more can arrive for the earlier conversation.
    if (before !== session) before?.dispose();
  }

  /** The agent may have given the ID to a new session while it was resuming the earlier one. */
  #throwIfReplaced(session: HostSession): void {
    if (this.#itself(session) === undefined) throw idReused(session.id);
  }

  #forget(session: HostSession): void {
    if (this.#known.get(session.id) === session) this.#known.delete(session.id);
    session.dispose();
  }
}

function idReused(sessionId: string): HostError {
  return new HostError('session_unknown', { reason: 'id_reused', sessionId });
}
