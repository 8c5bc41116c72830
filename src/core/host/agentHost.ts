import { addressOf, type AgentDefinition, environmentFor } from '../agents/agentDefinition.js';
import type { AgentBackend, AgentInfo, BackendSessions, ResumeMethod } from '../backends/agentBackend.js';
import { protocolOf } from '../backends/protocols.js';
import { systemClock } from '../base/clock.js';
import { HostError } from '../base/errors.js';
import type { Disposable } from '../base/disposable.js';
import { Emitter, type Event } from '../base/event.js';
import { Redactor } from '../base/redact.js';
import { confineNavigation } from '../services/codeNavigation.js';
import { createAgentFiles } from '../services/agentFiles.js';
import { createFileAccess } from '../services/files.js';
import type { HostServices } from '../services/hostServices.js';
import { CallRequests, UserRequestRegistry } from '../services/userRequests.js';
import type { RequestEvent } from '../session/event.js';
import type { SessionState, TurnOutcome } from '../session/model.js';
import { AgentTraffic } from '../traffic/agentTraffic.js';
import type { TrafficEntry } from '../traffic/trafficEntry.js';
import { AgentLife, type AgentRun } from './agentLife.js';
import type {
  AgentHostOptions,
  AgentStatus,
  HostDiagnostics,
  HostSignIn,
  NewSession,
  ReadTraffic,
  Session,
  TrafficItem,
  SessionOwner,
} from './api.js';
import { agentConnector } from './connectAgent.js';
import { HostSessions } from './hostSessions.js';
import { HostStatus, nothingRuns } from './hostStatus.js';
import { defaultRestartLimits } from './restartPolicy.js';
import type { RunningAgent } from './sessionEntry.js';
import { type KeySignIn, signOut, withKeySignIn } from './signIn.js';

/** One agent process and its sessions. Dispose it to end the agent. */
export class AgentHost implements Disposable {
  readonly agent: AgentDefinition;
  readonly #options: AgentHostOptions;
  readonly #redactor: Redactor;
  readonly #requests: UserRequestRegistry;
  readonly #status: HostStatus;
  readonly #traffic: AgentTraffic;
  readonly #sessions: HostSessions;
  readonly #calls = new CallRequests(() => this.#requests);
  readonly #life: AgentLife;
  /** Describes the agent that is running or that ran last. */
  #info: AgentInfo | undefined;
  /** A session may be requested again while an attempt that was stopped is still loading it. */
  readonly #loading = new Map<string, { readonly known: SessionState | undefined; readonly session: Promise<Session> }>();
  readonly #onRestarted = new Emitter<void>();
  readonly #onTurnEnded = new Emitter<TurnOutcome>();
  #disposed = false;

  constructor(options: AgentHostOptions) {
    const { agent, baseEnv = process.env, restart, requestDeadlines } = options;
    this.#options = options;
    this.agent = agent;
    this.#redactor = options.redactor ?? new Redactor();
    if ('env' in agent) this.#redactor.addEnvironment(agent.env);
    this.#redactor.addEnvironment(baseEnv);
    for (const secret of options.secretValues ?? []) this.#redactor.addSecret(secret);
    for (const server of options.mcpServers ?? []) {
      if ('type' in server) for (const { value } of server.headers) this.#redactor.addSecret(value);
      else this.#redactor.addEnvironment(Object.fromEntries(server.env.map(({ name, value }) => [name, value])));
    }
    const protocol = protocolOf(agent.protocol);
    this.#traffic = new AgentTraffic({ describer: protocol.frames, redactor: this.#redactor, clock: systemClock });
    this.onTraffic = this.#traffic.onEntry;
    this.onTrafficChange = this.#traffic.onChange;
    this.#requests = new UserRequestRegistry(
      {
        opened: (request) => this.#emitRequest(request.sessionId, { type: 'request_opened', at: request.at, request }),
        closed: ({ id, sessionId }, answer, by) =>
          this.#emitRequest(sessionId, { type: 'request_closed', at: systemClock.now(), requestId: id, answer, ...(by && { by }) }),
        refused: ({ sessionId }, refused) =>
          options.log?.warn('Ignored options of a permission request that have no unique id', { sessionId, refused }),
      },
      systemClock,
      requestDeadlines,
    );
    const services: HostServices = {
      requestUser: (request, withdrawn) =>
        this.#requests.requestUser(this.#sessions.known.get(request.sessionId)?.calls.complete(request) ?? request, withdrawn),
      filesIn: createFileAccess,
      agentFiles: (sessionId, folder, others = [], subagent = undefined) =>
        createAgentFiles({
          sessionId,
          folder,
          others,
          subagent,
          editor: options.editorTexts,
          requestUser: (request, signal) => this.#requests.requestUser(request, signal),
          onWritten: (path) => this.#sessions.known.get(sessionId)?.noteWritten(path),
        }),
      ...(options.codeNavigation && { codeNavigation: confineNavigation(options.cwd, options.codeNavigation) }),
    };
    this.#sessions = new HostSessions({
      host: this,
      options,
      redactor: this.#redactor,
      requests: this.#requests,
      calls: this.#calls,
      unread: () => {
        const { noiseLines, invalidMessages } = this.#traffic.counters;
        return noiseLines + invalidMessages;
      },
      onActivity: (ended) => {
        if (ended?.type === 'ended') this.#life.markHealthy();
        this.#status.refresh();
        if (ended !== undefined) this.#onTurnEnded.fire(ended);
      },
    });
    this.onSession = this.#sessions.onSession;
    this.#status = new HostStatus({
      sessions: this.#sessions,
      isRunning: () => this.#life.current !== undefined,
      stderrTail: () => this.stderrTail(),
    });
    this.#life = new AgentLife({
      agent,
      traffic: this.#traffic,
      connect: agentConnector(protocol, options, { redactor: this.#redactor, services }),
      restart: restart && { ...defaultRestartLimits, ...restart },
      log: options.log,
      hasSessions: () => this.#sessions.known.size > 0,
      isMidTurn: () => this.#sessions.isMidTurn,
      onStarted: ({ info }, isRestarted) => {
        this.#info = info;
        if (isRestarted) this.#onRestarted.fire();
        this.#status.started();
      },
      onEnded: (error) => this.#sessions.onAgentLost(error),
      onStatus: (status) => this.#status.show(status),
    });
    this.onStatus = this.#status.onChange;
  }

  readonly onStatus: Event<AgentStatus>;
  /** Fires when the agent was restarted automatically after a loss, before its status says so. It has no session open yet. */
  readonly onRestarted = this.#onRestarted.event;
  readonly onSession: Event<Session>;
  /** Fires after each turn, of any session. */
  readonly onTurnEnded = this.#onTurnEnded.event;
  /** Fires for every frame, redacted, while there is a listener. */
  readonly onTraffic: Event<TrafficEntry>;
  /** There are new frames to read. Fires a few times per second at most, while there is a listener. */
  readonly onTrafficChange: Event<void>;

  get status(): AgentStatus {
    return this.#status.current;
  }

  /** What the agent reported about itself; absent before the first start. */
  get info(): AgentInfo | undefined {
    return this.#info;
  }

  /** Where the running agent can fork sessions, as in `BackendSessions`. */
  get forks(): BackendSessions['forks'] {
    return this.#life.current?.backend.sessions.forks;
  }

  /** The sessions that the running agent has saved, as in `BackendSessions`. */
  get saved(): BackendSessions['saved'] {
    return this.#signedIn()?.sessions.saved;
  }

  /** Gives a session of the running agent a title, as in `BackendSessions`. */
  get rename(): BackendSessions['rename'] {
    return this.#signedIn()?.sessions.rename;
  }

  /** The ways in which the running agent can open earlier sessions, best first. */
  get resumeMethods(): readonly ResumeMethod[] {
    return this.#life.current?.backend.sessions.resumeMethods ?? [];
  }

  get sessions(): ReadonlyMap<string, Session> {
    return this.#sessions.known;
  }

  /** The last frames, oldest first, redacted. Always recorded, bounded in number and bytes; frames over 64 KB are cut. */
  readTraffic(o?: ReadTraffic): readonly TrafficItem[] {
    return this.#traffic.read(o);
  }

  diagnostics(): HostDiagnostics {
    const { agent, cwd } = this.#options;
    const { id, label, protocol } = agent;
    return {
      at: systemClock.now(),
      agent: { id, label, protocol, address: this.#redactor.text(addressOf(agent)) },
      cwd,
      status: this.status,
      info: this.#info,
      stderrTail: this.stderrTail(200),
      counters: this.#traffic.counters,
      requests: this.#traffic.requests,
    };
  }

  /**
   * Starts the agent if it is not running. Concurrent calls share one start.
   * @throws HostError `agent_not_found`, `spawn_failed`, `handshake_failed`, `handshake_timeout`, `version_unsupported`, `cancelled`; for a
   * server also `connect_failed`, `key_refused`
   */
  async start(signal?: AbortSignal): Promise<AgentInfo> {
    return (await this.#start(signal)).backend.info;
  }

  /**
   * Opens a new session, and starts the agent if it is not running.
   * @param o.continues the session that the new one continues, because the agent can't resume that one; it becomes part of the new one's
   * history
   * @throws HostError as `start`; `auth_required`, `request_failed`, `request_timeout`, `agent_exited`, `invalid_response`; with `fork` also
   * `unsupported` and `session_unknown`
   */
  newSession(o: NewSession = {}): Promise<Session> {
    return this.#open((agent) => this.#sessions.openNew(agent, o));
  }

  /**
   * Lets the agent fork a session at its end, and closes the fork if the agent can do that.
   * @returns the agent's ID of the fork, for `loadSession` @throws HostError as `newSession` with `fork`
   */
  forkSession(sessionId: string): Promise<string> {
    return this.#open((agent) => this.#sessions.fork(agent, sessionId));
  }

  /**
   * Opens a session of an earlier process, or one that was left. With `known`, that is the transcript, and the agent's replay is not added
   * to it; otherwise the replay becomes the transcript. Prompts that were queued in the session are removed from the queue, not sent.
   * Concurrent calls for one session share one attempt.
   * @param owner of the session, unless it is open here already
   * @throws HostError `unsupported`, `session_unknown`, …; never opens a new session instead
   */
  loadSession(sessionId: string, known?: SessionState, owner: SessionOwner = {}): Promise<Session> {
    const underWay = this.#loading.get(sessionId);
    if (underWay !== undefined) {
      const isSame = known === undefined || underWay.known === undefined || known.id === underWay.known.id;
      // Some agents reuse their IDs, so another conversation may be meant.
      return isSame ? underWay.session : underWay.session.catch(() => {}).then(() => this.loadSession(sessionId, known, owner));
    }
    const session = this.#load(sessionId, known, owner).finally(() => this.#loading.delete(sessionId));
    this.#loading.set(sessionId, { known, session });
    return session;
  }

  /**
   * Leaves the session for the user: cancels a running turn. Its transcript stays in the journal. If the agent can close sessions, the
   * Session has ended then; `loadSession` opens it again. Never rejects because of the agent's response. Does nothing if it has ended, even
   * if the agent has given its ID to another session.
   */
  async closeSession(session: Session): Promise<void> {
    // A session that is being resumed can't be closed before the agent has it.
    await this.#loading.get(session.id)?.session.catch(() => {});
    await this.#sessions.close(session);
    this.#status.refresh();
  }

  /** Signs in, for which the agent may wait for the user for any time. @throws HostError as AgentBackend.authenticate; `cancelled` once aborted */
  async authenticate(methodId: string, { signal, asker }: HostSignIn = {}): Promise<void> {
    const { backend } = await this.#start(signal);
    if (backend.authenticate === undefined) throw new HostError('unsupported', { reason: 'sign_in' });
    await this.#calls.during(asker, async (requestUser) => backend.authenticate?.(methodId, { signal, requestUser }));
  }

  /** Answers what was asked outside of sessions. @returns as Session.answer */
  answer(...given: Parameters<Session['answer']>): boolean {
    return this.#requests.answer(...given);
  }

  /**
   * Signs the user out of the agent, which is started if it is not running. Sessions need a sign-in from then on.
   * @throws HostError as AgentBackend.signOut; `unsupported`; `session_busy` during a turn
   */
  async signOut(): Promise<void> {
    const { backend } = await this.#start();
    // ACP leaves open what becomes of it.
    if (this.#sessions.isBusy) throw new HostError('session_busy');
    await signOut(backend);
  }

  /** Restarts at once instead of waiting for the planned automatic restart. */
  retryNow(): void {
    this.#life.restartNow();
  }

  /**
   * Ends the agent gracefully and disables automatic restarts. Sessions end with `agent_exited`; running turns are interrupted. Idempotent.
   */
  async stop(o: { readonly force?: boolean } = {}): Promise<void> {
    await this.#life.stop({
      ...o,
      nothingRuns: !this.#status.isOpening && nothingRuns(this.#sessions.known.values(), [this.agent.id, this.#info?.name]),
    });
    await Promise.all([this.#life.settled(), this.#sessions.settled()]);
  }

  /** The last stderr lines of the newest process, oldest first, redacted. */
  stderrTail(lines?: number): string {
    return this.#traffic.stderrTail(lines);
  }

  /** As SessionAgent.stderrFromNow. */
  stderrFromNow(): (lines: number) => string {
    return this.#traffic.stderrFromNow();
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#status.dispose();
    this.#onRestarted.dispose();
    this.#onTurnEnded.dispose();
    this.#requests.dispose();
    void this.stop({ force: true });
    this.#sessions.dispose();
    this.#traffic.dispose();
  }

  async #load(sessionId: string, known: SessionState | undefined, owner: SessionOwner): Promise<Session> {
    const live = await this.#sessions.live(sessionId, known);
    if (live !== undefined) return live;
    return this.#open((agent) => this.#sessions.resume(agent, sessionId, known, owner));
  }

  async #start(signal?: AbortSignal): Promise<AgentRun> {
    if (this.#disposed) throw new HostError('disposed', { reason: 'host' });
    return this.#life.start(signal);
  }

  async #open<T>(how: (agent: RunningAgent) => Promise<T>): Promise<T> {
    const { backend, ended } = await this.#start();
    return this.#status.whileOpening(ended, () => how({ ...this.#withKey(backend), ended }));
  }

  #signedIn(): KeySignIn | undefined {
    const backend = this.#life.current?.backend;
    return backend && this.#withKey(backend);
  }

  #withKey(backend: AgentBackend): KeySignIn {
    return withKeySignIn(backend, environmentFor(this.agent, this.#options.baseEnv ?? process.env));
  }

  #emitRequest(sessionId: string, event: RequestEvent): void {
    if (!this.#calls.emit(sessionId, event)) this.#sessions.known.get(sessionId)?.emit(event);
    this.#status.refresh();
  }
}

/** Creates a host for one agent in one folder. Starts nothing yet; dispose it to end the agent. */
export function createAgentHost(options: AgentHostOptions): AgentHost {
  return new AgentHost(options);
}
