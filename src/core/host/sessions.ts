import type { AgentBackend, BackendEvent, OpenedSession, SessionOptions } from '../backends/backend.js';
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import type { HostError } from '../base/errors.js';
import { Emitter } from '../base/event.js';
import type { AskRegistry } from '../services/asks.js';
import type { SessionEvent } from '../session/event.js';
import { readConversation } from '../session/journal.js';
import type { SessionState, TurnOutcome } from '../session/model.js';
import { emptySession } from '../session/reducer.js';
import type { AgentHost, AgentHostOptions, Session } from './api.js';
import { applyOpened, restoreMode } from './openedSession.js';
import { HostSession } from './session.js';

export interface SessionsParts {
  readonly host: AgentHost;
  readonly options: Pick<AgentHostOptions, 'cwd' | 'mcpServers' | 'journals'>;
  readonly asks: AskRegistry;
  readonly clock: Clock;
  /** A session's turn or its asks changed, so the agent's status may have. */
  readonly onActivity: (ended?: TurnOutcome) => void;
}

/** The conversations of one agent, and how they get into its process. */
export class Sessions implements Disposable {
  readonly #parts: SessionsParts;
  readonly #known = new Map<string, HostSession>();
  readonly #onSession = new Emitter<Session>();

  constructor(parts: SessionsParts) {
    this.#parts = parts;
  }

  readonly onSession = this.#onSession.event;

  get known(): ReadonlyMap<string, HostSession> {
    return this.#known;
  }

  /** @throws HostError as AgentBackend.newSession */
  openNew(backend: AgentBackend): Promise<HostSession> {
    const { options, clock } = this.#parts;
    return backend.newSession(this.#options(), (opened) => {
      const session = this.#create(emptySession(opened.sessionId, options.cwd, clock.now()));
      session.connect(backend);
      session.emit({ type: 'opened', at: clock.now(), cwd: options.cwd, how: 'new' });
      applyOpened(session, opened, clock);
      this.#register(session);
      return session;
    });
  }

  /** What is known of an earlier conversation; undefined where nothing was kept. @throws HostError `storage_failed` */
  async kept(sessionId: string): Promise<SessionState | undefined> {
    const { options: { journals }, host } = this.#parts;
    return this.#known.get(sessionId)?.state ?? (journals === undefined ? undefined : await readConversation(journals, host.agent.id, sessionId));
  }

  /**
   * The conversation goes on in this process.
   * @param kept the transcript that stands; without one the agent's replay becomes it @throws HostError as AgentBackend.loadSession
   */
  async takeUp(backend: AgentBackend, sessionId: string, kept: SessionState | undefined): Promise<HostSession> {
    const { options, clock } = this.#parts;
    const before = this.#known.get(sessionId);
    const session = before ?? this.#create(kept ?? emptySession(sessionId, options.cwd, clock.now()));
    // Registered first: the replay comes before the answer.
    this.#known.set(sessionId, session);
    try {
      const load = (): Promise<OpenedSession> => backend.loadSession(sessionId, this.#options());
      session.emit({ type: 'opened', at: clock.now(), cwd: options.cwd, how: 'loaded' });
      const opened = await (kept === undefined ? load() : session.withoutReplay(load));
      session.connect(backend);
      applyOpened(session, opened, clock);
      await restoreMode(session, kept, opened, clock);
    } catch (error) {
      if (before === undefined) this.#forget(session);
      throw error;
    }
    this.#register(session);
    return session;
  }

  /** Those whose process went away, the newest conversation last. A session without words is nothing to take up. */
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

  agentGone(error: HostError): void {
    for (const session of this.#known.values()) session.agentGone(error);
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

  #create(initial: SessionState): HostSession {
    const { host, options, asks, clock, onActivity } = this.#parts;
    const { sessionId, cwd, createdAt } = initial;
    const journal = options.journals?.open({ sessionId, cwd, createdAt, agentId: host.agent.id });
    return new HostSession({ host, asks, clock, initial, journal, onActivity });
  }

  /** Told before anything that the agent says of it, so that a front end that subscribes now misses nothing. */
  #register(session: HostSession): void {
    this.#known.set(session.id, session);
    this.#onSession.fire(session);
  }

  #forget(session: HostSession): void {
    this.#known.delete(session.id);
    session.dispose();
  }
}
