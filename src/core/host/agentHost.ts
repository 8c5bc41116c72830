import { createAcpBackend } from '../backends/acp/acpBackend.js';
import type { AgentBackend, AgentInfo, BackendEvent } from '../backends/agentBackend.js';
import { frameDescribers } from '../backends/frameDescribers.js';
import { type Clock, systemClock } from '../base/clock.js';
import { HostError, toHostError } from '../base/errors.js';
import { Emitter, type Event } from '../base/event.js';
import { nullLogger } from '../base/logger.js';
import { Redactor } from '../base/redact.js';
import type { ExitInfo } from '../node/exitInfo.js';
import { UserRequestRegistry } from '../services/userRequests.js';
import type { SessionEvent } from '../session/event.js';
import type { SessionState } from '../session/model.js';
import type { TrafficEntry } from '../traffic/trafficEntry.js';
import { AgentTraffic } from '../traffic/agentTraffic.js';
import type { AgentDefinition } from '../agents/agentDefinition.js';
import {
  type AgentHost,
  type AgentHostOptions,
  type AgentStatus,
  defaultDeadlines,
  type HostDiagnostics,
  type ReadTraffic,
  type Session,
  type TrafficItem,
} from './api.js';
import { AgentRun } from './agentRun.js';
import { type AgentEnd, defaultRestartLimits } from './restartPolicy.js';
import { type RunningAgent, HostSessions } from './hostSessions.js';
import { retryPassing } from './startRetry.js';
import { atRest, isSameStatus, lossOf, reconnecting, runningStatus } from './status.js';
import { Supervisor } from './supervisor.js';

export function createAgentHost(options: AgentHostOptions): AgentHost {
  return new Host(options);
}

class Host implements AgentHost {
  readonly agent: AgentDefinition;
  readonly #options: AgentHostOptions;
  readonly #redactor: Redactor;
  readonly #clock: Clock = systemClock;
  readonly #asks: UserRequestRegistry;
  readonly #onStatus = new Emitter<AgentStatus>();
  readonly #traffic: AgentTraffic;
  readonly #sessions: HostSessions;
  /** Calls that open a session. */
  #opening = 0;
  /** The running process. */
  #generation: AgentRun | undefined;
  /** The newest process, also when it is gone: its last words explain the end. */
  #newest: AgentBackend | undefined;
  #starting: { readonly info: Promise<AgentInfo>; readonly abandon: AbortController } | undefined;
  #info: AgentInfo | undefined;
  #status: AgentStatus = { state: 'stopped' };
  /** What keeps a running agent from being used, e.g. that it wants the user to sign in. */
  #problem: HostError | undefined;
  /** Earlier processes, with what they left behind, on their way out. */
  readonly #leaving = new Set<Promise<unknown>>();
  /** The user may ask for what is being taken up by itself. */
  readonly #loading = new Map<string, Promise<Session>>();
  #disposed = false;
  /** Absent where the agent is not to be started by itself. */
  readonly #supervisor: Supervisor | undefined;

  constructor(options: AgentHostOptions) {
    this.#options = options;
    this.agent = options.agent;
    this.#redactor = options.redactor ?? new Redactor();
    this.#redactor.addEnvironment(options.agent.env);
    this.#redactor.addEnvironment(options.baseEnv ?? process.env);
    this.#traffic = new AgentTraffic({ describer: frameDescribers[options.agent.protocol], redactor: this.#redactor, clock: this.#clock });
    this.onTraffic = this.#traffic.onEntry;
    this.onTrafficChange = this.#traffic.onChange;
    this.#supervisor =
      options.restart === undefined
        ? undefined
        : new Supervisor({
            limits: { ...defaultRestartLimits, ...options.restart },
            clock: this.#clock,
            random: Math.random,
            restart: () => void this.#restart(),
          });
    this.#asks = new UserRequestRegistry(
      {
        opened: (ask) => this.#emitAsk(ask.sessionId, { type: 'ask_opened', at: ask.at, ask }),
        closed: (ask, answer) => this.#emitAsk(ask.sessionId, { type: 'ask_closed', at: this.#clock.now(), askId: ask.id, answer }),
      },
      this.#clock,
      options.askDeadlines,
    );
    this.#sessions = new HostSessions({
      host: this,
      options,
      redactor: this.#redactor,
      asks: this.#asks,
      clock: this.#clock,
      onActivity: (ended) => {
        if (ended?.type === 'ended') this.#supervisor?.markHealthy();
        this.#refreshStatus();
      },
    });
    this.onSession = this.#sessions.onSession;
  }

  readonly onStatus = this.#onStatus.event;
  readonly onSession: Event<Session>;
  readonly onTraffic: Event<TrafficEntry>;
  readonly onTrafficChange: Event<void>;

  get status(): AgentStatus {
    return this.#status;
  }

  get info(): AgentInfo | undefined {
    return this.#info;
  }

  get sessions(): ReadonlyMap<string, Session> {
    return this.#sessions.known;
  }

  readTraffic(o?: ReadTraffic): readonly TrafficItem[] {
    return this.#traffic.read(o);
  }

  diagnostics(): HostDiagnostics {
    const {
      agent: { id, label, command, args, protocol },
      cwd,
    } = this.#options;
    return {
      at: this.#clock.now(),
      cwd,
      status: this.#status,
      info: this.#info,
      stderrTail: this.stderrTail(200),
      agent: { id, label, command, args: args.map((arg) => this.#redactor.text(arg)), protocol },
      counters: this.#traffic.counters,
      requests: this.#traffic.requests,
    };
  }

  start(signal: AbortSignal = new AbortController().signal): Promise<AgentInfo> {
    if (this.#disposed) return Promise.reject(new HostError('disposed', 'The agent host was closed'));
    const before = this.#starting;
    if (before?.abandon.signal.aborted === false) return before.info;
    if (this.#generation?.stopping === false && this.#info !== undefined) return Promise.resolve(this.#info);
    if (this.#supervisor?.plan?.retryAt !== undefined) this.#supervisor.cancel();
    const abandon = new AbortController();
    const info = this.#othersGone(before?.info)
      .then(() => this.#start(AbortSignal.any([signal, abandon.signal])))
      .finally(() => {
        if (this.#starting?.abandon !== abandon) return;
        this.#starting = undefined;
        this.#refreshStatus();
      });
    this.#starting = { info, abandon };
    return info;
  }

  newSession({ continues }: { readonly continues?: string } = {}): Promise<Session> {
    return this.#open((agent) => this.#sessions.openNew(agent, continues));
  }

  loadSession(sessionId: string, known?: SessionState): Promise<Session> {
    const underWay = this.#loading.get(sessionId);
    if (underWay !== undefined) return underWay;
    const loading = this.#load(sessionId, known).finally(() => this.#loading.delete(sessionId));
    this.#loading.set(sessionId, loading);
    return loading;
  }

  async #load(sessionId: string, known: SessionState | undefined): Promise<Session> {
    const live = await this.#sessions.live(sessionId, known);
    if (live !== undefined) return live;
    const kept = await this.#sessions.kept(sessionId, known);
    return this.#open((agent) => this.#sessions.resume(agent, sessionId, kept));
  }

  async closeSession(sessionId: string): Promise<void> {
    // What is being taken up cannot be closed before the agent has it.
    await this.#loading.get(sessionId)?.catch(() => {});
    await this.#sessions.close(sessionId, this.#info?.capabilities.sessionCapabilities?.close != null);
    this.#refreshStatus();
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
    const starting = this.#starting;
    starting?.abandon.abort();
    const generation = this.#generation;
    if (generation === undefined) {
      if (this.#status.state === 'reconnecting') this.#setStatus({ state: 'stopped' });
    } else {
      generation.stopping = true;
      const exit = await generation.backend.close(o);
      this.#end(generation, new HostError('agent_exited', `${this.agent.label} was stopped`), exit);
      this.#setStatus(exit === undefined ? { state: 'stopped' } : { state: 'stopped', exit });
    }
    await starting?.info.catch(() => {});
    await Promise.all([...this.#leaving, this.#sessions.flush()]);
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
    this.#sessions.dispose();
    this.#onStatus.dispose();
    this.#traffic.dispose();
  }

  /** One that is being stopped may still write down what it has. */
  async #othersGone(abandoned: Promise<unknown> | undefined): Promise<void> {
    await abandoned?.catch(() => {});
    if (this.#generation?.stopping === true) await this.#generation.ended;
  }

  async #start(signal: AbortSignal): Promise<AgentInfo> {
    if (signal.aborted) throw startCancelled(this.agent.label);
    const since = this.#clock.now();
    this.#setStatus(
      this.#sessions.known.size > 0 ? reconnecting(since, this.#supervisor?.plan) : { state: 'starting', since, awaiting: 'initialize' },
    );
    try {
      const info = await retryPassing(() => this.#startGeneration(signal), signal);
      this.#problem = undefined;
      this.#supervisor?.started();
      return info;
    } catch (thrown) {
      const error = signal.aborted ? startCancelled(this.agent.label) : toHostError(thrown);
      if (!signal.aborted) this.#onStartFailed(error);
      else if (this.#status.state !== 'stopped') this.#setStatus({ state: 'stopped' });
      throw error;
    }
  }

  /** What the user started, the user may start again; a start by ourselves has its next one planned. */
  #onStartFailed(error: HostError): void {
    if (this.#supervisor?.plan === undefined) this.#setStatus({ state: 'failed', error, stderrTail: this.stderrTail() });
    else this.#onEnded({ error, exit: undefined, phase: 'starting' });
  }

  /**
   * Starts the agent by itself and takes up what it was in, the newest conversation last, so that its end is the state that people see.
   * One that cannot be taken up stays as it is and does not keep the others away.
   */
  async #restart(): Promise<void> {
    const lost = this.#sessions.lost();
    try {
      await this.start();
    } catch (error) {
      this.#options.log?.warn(`${this.agent.label} could not be started again`, error);
      return;
    }
    for (const session of lost) {
      // The user may have left it meanwhile.
      if (!session.lost) continue;
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
    const generation = new AgentRun(this.#createBackend(), (from, event) => this.#onBackendEvent(from, event));
    this.#generation = generation;
    this.#newest = generation.backend;
    this.#info = undefined;
    this.#traffic.follow(generation.backend);
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
      definition: agent,
      cwd,
      clientInfo,
      terminalAuth,
      log: log ?? nullLogger,
      clock: this.#clock,
      baseEnv: baseEnv ?? process.env,
      deadlines: { ...defaultDeadlines, ...deadlines },
      redactor: this.#redactor,
      services: { ask: (request, withdrawn) => this.#asks.ask(request, withdrawn) },
    });
  }

  /** Runs while the agent is up; what goes wrong in it is the agent's state until the next attempt. */
  async #open(how: (agent: RunningAgent) => Promise<Session>): Promise<Session> {
    await this.start();
    const generation = this.#running();
    this.#opening++;
    this.#problem = undefined;
    this.#refreshStatus();
    try {
      return await how({ backend: generation.backend, capabilities: this.#info?.capabilities ?? {} });
    } catch (thrown) {
      const error = toHostError(thrown);
      // The call dies with the pipe, the process a little later; what is left then is no agent with a problem, but none.
      if (error.code === 'agent_exited') await generation.ended;
      else this.#problem = error;
      throw error;
    } finally {
      this.#opening--;
      this.#refreshStatus();
    }
  }

  #running(): AgentRun {
    if (this.#generation === undefined) throw new HostError('agent_exited', `${this.agent.label} is not running`);
    return this.#generation;
  }

  #onBackendEvent(generation: AgentRun, event: BackendEvent): void {
    if (generation !== this.#generation) return;
    if (event.type === 'closed') return this.#onClosed(generation, event.error, event.exit);
    if (!this.#sessions.deliver(event)) this.#options.log?.debug('An update for a session that is not open was left out', event.sessionId);
  }

  #onClosed(generation: AgentRun, cause: HostError, exit: ExitInfo | undefined): void {
    const error = lossOf(this.agent.label, cause, exit);
    this.#end(generation, error, exit);
    // A start that fails tells of it itself, with the better reason; and a stop.
    if (this.#starting === undefined && !generation.stopping) this.#onEnded({ error, exit, phase: 'running' });
  }

  #onEnded(end: AgentEnd): void {
    const decision = this.#supervisor?.ended(end);
    this.#setStatus(
      decision?.type === 'restart'
        ? reconnecting(this.#clock.now(), this.#supervisor?.plan)
        : atRest(this.agent.label, end, decision, this.stderrTail()),
    );
  }

  #end(generation: AgentRun, error: HostError, exit?: ExitInfo): void {
    if (generation !== this.#generation) return;
    this.#generation = undefined;
    this.#traffic.unfollow(exit);
    this.#problem = undefined;
    this.#sessions.onAgentLost(error);
    const leaving = generation.backend.close({ force: true }).finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
    generation.dispose();
  }

  #emitAsk(sessionId: string, event: SessionEvent): void {
    this.#sessions.emit(sessionId, event);
    this.#refreshStatus();
  }

  /** The state of a running agent follows from its sessions. */
  #refreshStatus(): void {
    if (this.#generation === undefined || this.#starting !== undefined) return;
    this.#setStatus(
      runningStatus({
        asks: this.#asks.open,
        sessions: this.#sessions.known.values(),
        opening: this.#opening > 0,
        now: this.#clock.now(),
        problem: this.#problem && { error: this.#problem, stderrTail: this.stderrTail() },
      }),
    );
  }

  #setStatus(status: AgentStatus): void {
    if (this.#disposed || isSameStatus(this.#status, status)) return;
    this.#status = status;
    this.#onStatus.fire(status);
  }
}

function startCancelled(label: string): HostError {
  return new HostError('cancelled', `Starting ${label} was cancelled`);
}
