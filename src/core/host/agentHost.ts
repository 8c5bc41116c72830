import { createAcpBackend } from '../backends/acp/backend.js';
import type { AgentBackend, AgentInfo, BackendEvent, OpenedSession, SessionOptions } from '../backends/backend.js';
import { type Clock, systemClock } from '../base/clock.js';
import { DisposableStore, toDisposable } from '../base/disposable.js';
import { HostError, toHostError } from '../base/errors.js';
import { Emitter, type Event } from '../base/event.js';
import { nullLogger } from '../base/logger.js';
import { Redactor } from '../base/redact.js';
import type { ExitInfo } from '../node/exitInfo.js';
import { AskRegistry } from '../services/asks.js';
import type { SessionEvent } from '../session/event.js';
import { readConversation } from '../session/journal.js';
import type { SessionState } from '../session/model.js';
import { emptySession } from '../session/reducer.js';
import { redactTraffic, type TrafficEntry } from '../transport/traffic.js';
import { type AgentDefinition, type AgentHost, type AgentHostOptions, type AgentStatus, defaultDeadlines, type Session } from './api.js';
import { type AgentEnd, defaultRestartLimits } from './restartPolicy.js';
import { applyOpened, restoreMode } from './openedSession.js';
import { HostSession } from './session.js';
import { retryPassing } from './startRetry.js';
import { atRest, isSameStatus, lossOf, reconnecting } from './status.js';
import { Supervisor } from './supervisor.js';

/**
 * What is told of a session that is being opened waits here. The backend bounds the updates (10,000); each comes as itself and as its
 * events, and none that the backend kept is to be lost here.
 */
const maxEarlyEvents = 50_000;

export function createAgentHost(options: AgentHostOptions): AgentHost {
  return new Host(options);
}

/** One generation of the agent: its process and what belongs to it. A late event of an earlier one changes nothing. */
interface Generation {
  readonly backend: AgentBackend;
  readonly owned: DisposableStore;
  /** Resolves when the process is gone. */
  readonly ended: Promise<void>;
}

class Host implements AgentHost {
  readonly agent: AgentDefinition;
  readonly #options: AgentHostOptions;
  readonly #redactor: Redactor;
  readonly #clock: Clock = systemClock;
  readonly #asks: AskRegistry;
  readonly #onStatus = new Emitter<AgentStatus>();
  readonly #onSession = new Emitter<Session>();
  readonly #onTraffic = new Emitter<TrafficEntry>();
  readonly #sessions = new Map<string, HostSession>();
  /** Events of sessions that nobody knows yet, while one is being opened. */
  #early: Extract<BackendEvent, { sessionId: string }>[] = [];
  #opening = 0;
  /** The running process. */
  #generation: Generation | undefined;
  /** The newest process, also when it is gone: its last words explain the end. */
  #newest: AgentBackend | undefined;
  #starting: Promise<AgentInfo> | undefined;
  #info: AgentInfo | undefined;
  #status: AgentStatus = { state: 'stopped' };
  /** What keeps a running agent from being used, e.g. that it wants the user to sign in. */
  #problem: HostError | undefined;
  /** Earlier processes, with what they left behind, on their way out. */
  readonly #leaving = new Set<Promise<unknown>>();
  #trafficListeners = 0;
  #disposed = false;
  /** Absent where the agent is not to be started by itself. */
  readonly #supervisor: Supervisor | undefined;

  constructor(options: AgentHostOptions) {
    this.#options = options;
    this.agent = options.agent;
    this.#redactor = options.redactor ?? new Redactor();
    this.#redactor.addEnvironment(options.agent.env);
    this.#redactor.addEnvironment(options.baseEnv ?? process.env);
    this.#supervisor = options.restart === undefined ? undefined : new Supervisor({
      limits: { ...defaultRestartLimits, ...options.restart }, clock: this.#clock, random: Math.random, restart: () => void this.#restart(),
    });
    this.#asks = new AskRegistry({
      opened: (ask) => this.#emitAsk(ask.sessionId, { type: 'ask_opened', at: ask.at, ask }),
      closed: (ask, answer) => this.#emitAsk(ask.sessionId, { type: 'ask_closed', at: this.#clock.now(), askId: ask.id, answer }),
    }, this.#clock);
  }

  readonly onStatus = this.#onStatus.event;
  readonly onSession = this.#onSession.event;

  get status(): AgentStatus {
    return this.#status;
  }

  get info(): AgentInfo | undefined {
    return this.#info;
  }

  get sessions(): ReadonlyMap<string, Session> {
    return this.#sessions;
  }

  readonly onTraffic: Event<TrafficEntry> = (listener) => {
    const subscription = this.#onTraffic.event(listener);
    if (this.#trafficListeners++ === 0 && this.#generation !== undefined) this.#tapTraffic(this.#generation);
    return toDisposable(() => {
      this.#trafficListeners--;
      subscription.dispose();
    });
  };

  start(signal: AbortSignal = new AbortController().signal): Promise<AgentInfo> {
    if (this.#disposed) return Promise.reject(new HostError('disposed', 'The agent host was closed'));
    if (this.#starting !== undefined) return this.#starting;
    if (this.#generation !== undefined && this.#info !== undefined) return Promise.resolve(this.#info);
    if (this.#supervisor?.plan?.retryAt !== undefined) this.#supervisor.cancel();
    this.#starting = this.#start(signal).finally(() => {
      this.#starting = undefined;
      this.#refreshStatus();
    });
    return this.#starting;
  }

  newSession(): Promise<Session> {
    return this.#open(async (backend) => {
      const opened = await backend.newSession(this.#sessionOptions());
      const session = this.#createSession(emptySession(opened.sessionId, this.#options.cwd, this.#clock.now()));
      session.connect(backend);
      session.emit({ type: 'opened', at: this.#clock.now(), cwd: this.#options.cwd, how: 'new' });
      applyOpened(session, opened, this.#clock);
      this.#register(session);
      return session;
    });
  }

  async loadSession(sessionId: string, known?: SessionState): Promise<Session> {
    const before = this.#sessions.get(sessionId);
    if (before?.live === true) return before;
    const { journals } = this.#options;
    const kept = before?.state ?? known ?? (journals === undefined ? undefined : await readConversation(journals, this.agent.id, sessionId));
    return this.#open(async (backend) => {
      const session = before ?? this.#createSession(kept ?? emptySession(sessionId, this.#options.cwd, this.#clock.now()));
      // Registered first: the replay comes before the answer.
      this.#sessions.set(sessionId, session);
      try {
        const load = (): Promise<OpenedSession> => backend.loadSession(sessionId, this.#sessionOptions());
        session.emit({ type: 'opened', at: this.#clock.now(), cwd: this.#options.cwd, how: 'loaded' });
        const opened = await (kept === undefined ? load() : session.withoutReplay(load));
        session.connect(backend);
        applyOpened(session, opened, this.#clock);
        await restoreMode(session, kept, opened, this.#clock);
      } catch (error) {
        if (before === undefined) this.#forget(session);
        throw error;
      }
      this.#register(session);
      return session;
    });
  }

  async authenticate(methodId: string): Promise<void> {
    await this.start();
    await this.#running().backend.authenticate(methodId);
  }

  retryNow(): void {
    this.#supervisor?.retryNow();
  }

  async stop(o: { readonly force?: boolean } = {}): Promise<void> {
    this.#supervisor?.cancel();
    const generation = this.#generation;
    if (generation === undefined) {
      if (this.#status.state === 'reconnecting') this.#setStatus({ state: 'stopped' });
    } else {
      const exit = await generation.backend.close(o);
      this.#end(generation, new HostError('agent_exited', `${this.agent.label} was stopped`));
      this.#setStatus(exit === undefined ? { state: 'stopped' } : { state: 'stopped', exit });
    }
    await Promise.all([...this.#leaving, ...[...this.#sessions.values()].map((session) => session.flush())]);
  }

  stderrTail(lines = 40): string {
    return this.#redactor.text(this.#newest?.stderrTail(lines) ?? '');
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#supervisor?.dispose();
    this.#asks.dispose();
    void this.stop({ force: true });
    for (const session of this.#sessions.values()) session.dispose();
    this.#sessions.clear();
    this.#onStatus.dispose();
    this.#onSession.dispose();
    this.#onTraffic.dispose();
  }

  async #start(signal: AbortSignal): Promise<AgentInfo> {
    const since = this.#clock.now();
    this.#setStatus(this.#sessions.size > 0 ? reconnecting(since, this.#supervisor?.plan) : { state: 'starting', since, awaiting: 'initialize' });
    try {
      const info = await retryPassing(() => this.#startGeneration(signal), signal);
      this.#problem = undefined;
      this.#supervisor?.started();
      return info;
    } catch (thrown) {
      const error = signal.aborted ? new HostError('cancelled', `Starting ${this.agent.label} was cancelled`) : toHostError(thrown);
      if (signal.aborted) this.#setStatus({ state: 'stopped' });
      // What the user started, the user may start again; a start by ourselves has its next one planned.
      else if (this.#supervisor?.plan === undefined) this.#setStatus({ state: 'failed', error, stderrTail: this.stderrTail() });
      else this.#onEnded({ error, exit: undefined, phase: 'starting' });
      throw error;
    }
  }

  /**
   * Starts the agent by itself and takes up what it was in, the newest conversation last, so that its end is the state that people see.
   * One that cannot be taken up stays as it is and does not keep the others away; a session without words is nothing to take up.
   */
  async #restart(): Promise<void> {
    const lost = [...this.#sessions.values()].filter((session) => session.lost && session.state.items.length > 0);
    lost.sort((one, other) => one.lastSaidAt - other.lastSaidAt);
    try {
      await this.start();
    } catch (error) {
      this.#options.log?.warn(`${this.agent.label} could not be started again`, error);
      return;
    }
    for (const session of lost) {
      try {
        await this.loadSession(session.id);
      } catch (error) {
        this.#options.log?.warn('A conversation could not be taken up again', { sessionId: session.id, error });
        // Without a process the next attempt begins anew.
        if (this.#generation === undefined) return;
      }
    }
  }

  async #startGeneration(signal: AbortSignal): Promise<AgentInfo> {
    const owned = new DisposableStore();
    const ended = new Promise<void>((resolve) => owned.add(toDisposable(resolve)));
    const generation: Generation = { backend: owned.add(this.#createBackend()), owned, ended };
    generation.owned.add(generation.backend.onEvent((event) => this.#onBackendEvent(generation, event)));
    this.#generation = generation;
    this.#newest = generation.backend;
    this.#info = undefined;
    if (this.#trafficListeners > 0) this.#tapTraffic(generation);
    try {
      this.#info = await generation.backend.start(signal);
      return this.#info;
    } catch (error) {
      await generation.backend.close({ force: true });
      this.#end(generation, toHostError(error));
      throw error;
    }
  }

  #createBackend(): AgentBackend {
    const { agent, cwd, clientInfo, terminalAuth, baseEnv, deadlines, log } = this.#options;
    return createAcpBackend({
      definition: agent, cwd, clientInfo, terminalAuth, log: log ?? nullLogger, clock: this.#clock, baseEnv: baseEnv ?? process.env,
      deadlines: { ...defaultDeadlines, ...deadlines },
      redactor: this.#redactor,
      services: { ask: (request, withdrawn) => this.#asks.ask(request, withdrawn) },
    });
  }

  /** Runs while the agent is up; what goes wrong in it is the agent's state until the next attempt. */
  async #open(how: (backend: AgentBackend) => Promise<HostSession>): Promise<Session> {
    await this.start();
    const generation = this.#running();
    this.#opening++;
    this.#problem = undefined;
    this.#refreshStatus();
    try {
      return await how(generation.backend);
    } catch (thrown) {
      const error = toHostError(thrown);
      // The call dies with the pipe, the process a little later; what is left then is no agent with a problem, but none.
      if (error.code === 'agent_exited') await generation.ended;
      else this.#problem = error;
      throw error;
    } finally {
      if (--this.#opening === 0) this.#early = [];
      this.#refreshStatus();
    }
  }

  #running(): Generation {
    if (this.#generation === undefined) throw new HostError('agent_exited', `${this.agent.label} is not running`);
    return this.#generation;
  }

  #sessionOptions(): SessionOptions {
    return { cwd: this.#options.cwd, mcpServers: this.#options.mcpServers ?? [] };
  }

  #createSession(initial: SessionState): HostSession {
    const { sessionId, cwd, createdAt } = initial;
    const journal = this.#options.journals?.open({ sessionId, cwd, createdAt, agentId: this.agent.id });
    return new HostSession({ host: this, asks: this.#asks, clock: this.#clock, initial, journal, onActivity: (ended) => {
      if (ended?.type === 'ended') this.#supervisor?.well();
      this.#refreshStatus();
    } });
  }

  /** Makes the session known, with what the agent said of it before anyone knew it. */
  #register(session: HostSession): void {
    this.#sessions.set(session.id, session);
    const mine = this.#early.filter((event) => event.sessionId === session.id);
    this.#early = this.#early.filter((event) => event.sessionId !== session.id);
    // Told first, so that a front end that subscribes now misses nothing.
    this.#onSession.fire(session);
    for (const event of mine) deliver(session, event);
  }

  #forget(session: HostSession): void {
    this.#sessions.delete(session.id);
    session.dispose();
  }

  #onBackendEvent(generation: Generation, event: BackendEvent): void {
    if (generation !== this.#generation) return;
    if (event.type === 'closed') return this.#onClosed(generation, event.error, event.exit);
    const session = this.#sessions.get(event.sessionId);
    if (session !== undefined) deliver(session, event);
    else if (this.#opening > 0 && this.#early.length < maxEarlyEvents) this.#early.push(event);
    else this.#options.log?.debug('An update for a session that is not open was left out', event.sessionId);
  }

  #onClosed(generation: Generation, cause: HostError, exit: ExitInfo | undefined): void {
    const error = lossOf(this.agent.label, cause, exit);
    this.#end(generation, error);
    // A start that fails tells of it itself, with the better reason.
    if (this.#starting === undefined) this.#onEnded({ error, exit, phase: 'running' });
  }

  #onEnded(end: AgentEnd): void {
    const decision = this.#supervisor?.ended(end);
    this.#setStatus(decision?.type === 'restart'
      ? reconnecting(this.#clock.now(), this.#supervisor?.plan)
      : atRest(this.agent.label, end, decision, this.stderrTail()));
  }

  #end(generation: Generation, error: HostError): void {
    if (generation !== this.#generation) return;
    this.#generation = undefined;
    this.#problem = undefined;
    for (const session of this.#sessions.values()) session.agentGone(error);
    const leaving = generation.backend.close({ force: true }).finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
    generation.owned.dispose();
  }

  #tapTraffic(generation: Generation): void {
    generation.owned.add(generation.backend.onTraffic((entry) => this.#onTraffic.fire(redactTraffic(entry, this.#redactor))));
  }

  #emitAsk(sessionId: string, event: SessionEvent): void {
    this.#sessions.get(sessionId)?.emit(event);
    this.#refreshStatus();
  }

  /** The state of a running agent follows from its sessions. */
  #refreshStatus(): void {
    if (this.#generation === undefined || this.#starting !== undefined) return;
    const now = this.#clock.now();
    const asks = this.#asks.open;
    const busy = [...this.#sessions.values()].find((session) => session.busy);
    if (asks[0] !== undefined) this.#setStatus({ state: 'waiting', since: asks[0].at, asks: asks.length });
    else if (busy !== undefined) this.#setStatus({ state: 'busy', since: busy.busySince ?? now });
    else if (this.#problem !== undefined) this.#setStatus({ state: 'failed', error: this.#problem, stderrTail: this.stderrTail() });
    else if (this.#opening > 0) this.#setStatus({ state: 'starting', since: now, awaiting: 'session' });
    else this.#setStatus({ state: 'ready' });
  }

  #setStatus(status: AgentStatus): void {
    if (this.#disposed || isSameStatus(this.#status, status)) return;
    this.#status = status;
    this.#onStatus.fire(status);
  }
}

function deliver(session: HostSession, event: Extract<BackendEvent, { sessionId: string }>): void {
  if (event.type === 'update') session.emitUpdate(event.update);
  else session.emit(event.event);
}
