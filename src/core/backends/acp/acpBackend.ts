import type { Clock } from '../../base/clock.js';
import { type Disposable, DisposableStore } from '../../base/disposable.js';
import { HostError, toHostError } from '../../base/errors.js';
import { Emitter, type Event } from '../../base/event.js';
import type { Logger } from '../../base/logger.js';
import { Redactor } from '../../base/redact.js';
import { type WakeWatch, wakeWatch } from '../../base/wake.js';
import type { ExitInfo } from '../../node/exitInfo.js';
import { createRpcPeer } from '../../rpc/connection.js';
import type { MethodSpec, RpcPeer } from '../../rpc/peer.js';
import type { HostServices } from '../../services/hostServices.js';
import type { ContentBlock } from '../../session/model.js';
import { type AgentProcess, spawnAgentProcess } from '../../process/agentProcess.js';
import type { TrafficEntry } from '../../traffic/trafficEntry.js';
import type { AgentBackend, AgentInfo, BackendEvent, BackendStats, OpenedSession, PromptResult, SessionOptions } from '../agentBackend.js';
import { isUnknownSession, toCallError, toResumeError } from './callErrors.js';
import { exitData, type HostIdentity, initializeParams, toAgentInfo, toHandshakeError } from './handshake.js';
import { Incoming } from './incoming.js';
import { LEGACY_MODEL_OPTION_ID, type SessionOffer, toSessionOffer, withValue } from './sessionOffer.js';
import type { AcpQuirks } from '../../agents/acpQuirks.js';
import { acpQuirksOf } from '../../agents/knownAgents.js';
import { probeAfterSleep } from './probe.js';
import { toPromptBlocks } from './promptBlocks.js';
import { listModels, notifications, requests } from './schema/methods.js';
import { AcpSession } from './acpSession.js';
import { watchStalls } from './watchStalls.js';

/** The parts of an agent's definition that starting it takes. */
export interface AgentCommand {
  /** For people, where the agent does not name itself. */
  readonly label: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the inherited environment; `null` removes a variable. */
  readonly env: Readonly<Record<string, string | null>>;
}

/** How long an answer may take, in milliseconds. A turn has no limit. */
export interface AcpDeadlines {
  readonly initializeMs: number;
  readonly sessionMs: number;
  readonly queryMs: number;
}

export interface AcpBackendOptions extends HostIdentity {
  readonly definition: AgentCommand;
  /** Absolute, existing: the folder in which the process starts. */
  readonly cwd: string;
  readonly deadlines: AcpDeadlines;
  /** Environment to inherit; the definition's own is added. */
  readonly baseEnv: NodeJS.ProcessEnv;
  readonly services: HostServices;
  readonly log: Logger;
  readonly clock: Clock;
  /** For the agent's own words in errors: they quote keys. */
  readonly redactor?: Redactor;
  /** Default: that of this process. */
  readonly wake?: Pick<WakeWatch, 'onWake'>;
}

/** An agent that speaks ACP v1 over stdio, as a process of its own. */
export function createAcpBackend(options: AcpBackendOptions): AgentBackend {
  return new AcpBackend(options);
}

/** What there is between the handshake and the end. */
interface Connection {
  readonly process: AgentProcess;
  readonly peer: RpcPeer;
}

/** agentao asks its provider, for at most 20 s. */
const modelsMs = 30_000;

/** How long to wait for the exit code after the pipe ended. */
const exitWaitMs = 1_000;

class AcpBackend implements AgentBackend {
  readonly #options: AcpBackendOptions;
  readonly #redactor: Redactor;
  readonly #onEvent = new Emitter<BackendEvent>();
  readonly #incoming: Incoming;
  #waitingTaps: ((process: AgentProcess) => void)[] = [];
  #started = false;
  #connection: Connection | undefined;
  #info: AgentInfo | undefined;
  #quirks: AcpQuirks = acpQuirksOf(undefined);
  #closing: Promise<ExitInfo | undefined> | undefined;
  #closed = false;
  #probe: Disposable | undefined;

  constructor(options: AcpBackendOptions) {
    this.#options = options;
    this.#redactor = options.redactor ?? new Redactor();
    this.#incoming = new Incoming(options);
  }

  readonly onEvent = this.#onEvent.event;

  /** Who listens before the start sees the handshake too. */
  readonly onTraffic: Event<TrafficEntry> = (listener) => {
    const tap = new DisposableStore();
    const attach = ({ channel, onStderrLine }: AgentProcess): void => {
      tap.add(channel.onTraffic(listener));
      tap.add(
        onStderrLine((text) =>
          listener({ at: this.#options.clock.now(), direction: 'received', kind: 'stderr', text, bytes: Buffer.byteLength(text) }),
        ),
      );
    };
    if (this.#connection === undefined) this.#waitingTaps.push(attach);
    else attach(this.#connection.process);
    return tap;
  };

  async start(signal: AbortSignal): Promise<AgentInfo> {
    if (this.#started) throw new HostError('usage', 'A backend starts once');
    this.#started = true;
    const process = await this.#spawn(signal);
    const peer = createRpcPeer(process.channel, this.#incoming.handlers, { log: this.#options.log });
    this.#connection = { process, peer };
    for (const attach of this.#waitingTaps.splice(0)) attach(process);
    peer.onClose((error) => void this.#onPeerClosed(error));
    watchStalls({ process, clock: this.#options.clock, quirks: () => this.#quirks, sessions: () => this.#incoming.sessions });
    peer.listen();
    try {
      const result = await peer.request(requests.initialize, initializeParams(this.#options), {
        timeoutMs: this.#options.deadlines.initializeMs,
        signal,
      });
      this.#info = toAgentInfo(result, this.#options.definition.label);
      this.#quirks = acpQuirksOf(result.agentInfo);
      this.#probe = this.#probeAfterSleep(peer);
      return this.#info;
    } catch (error) {
      const exit = toHostError(error).code === 'agent_exited' ? await exitOf(process) : undefined;
      await this.close({ force: true });
      const { firstNoise } = process.channel;
      throw toHandshakeError(error, exit, firstNoise === undefined ? undefined : this.#redactor.text(firstNoise));
    }
  }

  async newSession<T>(options: SessionOptions, adopt: (opened: OpenedSession) => T): Promise<T> {
    return this.#incoming.whileOpening(async () => {
      const result = await this.#call(
        requests.newSession,
        { cwd: options.cwd, mcpServers: [...options.mcpServers] },
        this.#options.deadlines.sessionMs,
      );
      const session = this.#createSession(result.sessionId, options.cwd);
      const offered = toSessionOffer(result);
      const modes = offered.modes === undefined ? undefined : this.#quirks.modes(offered.modes);
      session.configOptions = offered.configOptions;
      session.map.currentModeId = modes?.currentModeId;
      const adopted = adopt({ sessionId: session.id, modes, configOptions: session.configOptions });
      this.#incoming.open(session);
      void this.#askForModels(session);
      return adopted;
    });
  }

  async loadSession(sessionId: string, options: SessionOptions): Promise<OpenedSession> {
    if (this.#info?.capabilities.loadSession !== true)
      throw new HostError('unsupported', 'The agent cannot take up an earlier conversation');
    return this.#takeUp(requests.loadSession, sessionId, options);
  }

  async resumeSession(sessionId: string, options: SessionOptions): Promise<OpenedSession> {
    if (this.#info?.capabilities.sessionCapabilities?.resume == null)
      throw new HostError('unsupported', 'The agent cannot resume an earlier conversation');
    return this.#takeUp(requests.resumeSession, sessionId, options);
  }

  async closeSession(sessionId: string): Promise<void> {
    if (this.#info?.capabilities.sessionCapabilities?.close == null)
      throw new HostError('unsupported', 'The agent cannot close a conversation');
    const session = this.#session(sessionId);
    try {
      await this.#call(requests.closeSession, { sessionId }, this.#options.deadlines.queryMs);
    } catch (thrown) {
      const error = toHostError(thrown);
      if (!isUnknownSession(error)) throw error;
    } finally {
      this.#incoming.forget(sessionId, undefined);
      session.close();
    }
  }

  async prompt(sessionId: string, turnId: string, content: readonly ContentBlock[]): Promise<PromptResult> {
    const session = this.#session(sessionId);
    if (session.busy) throw new HostError('session_busy', 'A turn is running in this conversation');
    const prompt = toPromptBlocks(content, this.#info?.capabilities ?? {}, this.#quirks);
    const cut = session.beginTurn(turnId, content);
    try {
      const { stopReason } = await Promise.race([this.#call(requests.prompt, { sessionId, prompt }), cut]);
      return { stopReason };
    } catch (thrown) {
      const error = toHostError(thrown);
      // ACP: an agent that answers a cancelled turn with an error has cancelled it.
      if (session.cancelling && (error.code === 'request_failed' || error.code === 'provider_failed')) return { stopReason: 'cancelled' };
      throw error;
    } finally {
      session.endTurn();
    }
  }

  cancel(sessionId: string): void {
    const { log } = this.#options;
    this.#incoming.session(sessionId)?.cancelTurn(() => {
      this.#connection?.peer
        .notify(notifications.cancel, { sessionId })
        .catch((error: unknown) => log.debug('session/cancel could not be sent', error));
    });
  }

  async setMode(sessionId: string, modeId: string): Promise<void> {
    const session = this.#session(sessionId);
    const result = await this.#call(requests.setMode, { sessionId, modeId }, this.#options.deadlines.queryMs);
    session.emitMode(result.modeId ?? modeId);
  }

  async setConfigOption(sessionId: string, configId: string, value: string | boolean): Promise<void> {
    const session = this.#session(sessionId);
    const { queryMs } = this.#options.deadlines;
    if (configId === LEGACY_MODEL_OPTION_ID) {
      await this.#call(requests.setModel, { sessionId, modelId: String(value) }, queryMs);
      return session.emitConfigOptions(withValue(session.configOptions, configId, value));
    }
    const params = typeof value === 'boolean' ? { sessionId, configId, type: 'boolean' as const, value } : { sessionId, configId, value };
    const result = await this.#call(requests.setConfigOption, params, queryMs);
    session.emitConfigOptions(result.configOptions ?? withValue(session.configOptions, configId, value));
  }

  /** No deadline: the user may be in a browser. */
  async authenticate(methodId: string): Promise<void> {
    const method = this.#info?.authMethods.find((known) => known.id === methodId);
    if (method === undefined) throw new HostError('usage', 'The agent did not offer this way to sign in', { data: { methodId } });
    if ('type' in method && method.type === 'terminal')
      throw new HostError('usage', 'This way to sign in runs in a terminal', { data: { methodId } });
    await this.#call(requests.authenticate, { methodId });
  }

  get stats(): BackendStats {
    const { timeouts = 0, noiseLines = 0, invalidMessages = 0, unknownResponses = 0, pauses = 0 } = this.#connection?.peer.stats ?? {};
    return { timeouts, noiseLines, invalidMessages, unknownResponses, leftOut: this.#incoming.leftOut, pauses };
  }

  stderrTail(lines: number): string {
    return this.#connection?.process.stderrTail(lines) ?? '';
  }

  close(o: { readonly force?: boolean } = {}): Promise<ExitInfo | undefined> {
    // Again with `force`, the process hurries.
    if (this.#closing !== undefined && o.force === true) void this.#connection?.process.stop({ force: true });
    return (this.#closing ??= this.#close(o));
  }

  dispose(): void {
    void this.close({ force: true }).finally(() => this.#onEvent.dispose());
  }

  async #spawn(signal: AbortSignal): Promise<AgentProcess> {
    const { definition, cwd, baseEnv, log } = this.#options;
    if (signal.aborted) throw new HostError('cancelled', 'The start was cancelled');
    const process = await spawnAgentProcess({
      command: definition.command,
      args: definition.args,
      cwd,
      env: mergeEnv(baseEnv, definition.env),
      log,
    });
    if (!signal.aborted && this.#closing === undefined) return process;
    await process.stop({ force: true });
    throw new HostError('cancelled', 'The start was cancelled');
  }

  #probeAfterSleep(peer: RpcPeer): Disposable {
    const { clock, log, deadlines, wake = wakeWatch } = this.#options;
    return probeAfterSleep({
      wake,
      clock,
      log,
      sessions: () => this.#incoming.sessions,
      ask: () => peer.request(requests.probe, {}, { timeoutMs: deadlines.queryMs }),
    });
  }

  async #close(o: { readonly force?: boolean }): Promise<ExitInfo | undefined> {
    const connection = this.#connection;
    if (connection === undefined) return undefined;
    const exit = await connection.process.stop(o);
    this.#end(new HostError('agent_exited', 'The agent was stopped', { data: exitData(exit) }), exit);
    connection.peer.dispose();
    return exit;
  }

  async #onPeerClosed(error: HostError): Promise<void> {
    const process = this.#connection?.process;
    for (const session of this.#incoming.sessions) session.endTurn();
    // First its own end, if that is what happened: ended by us it would count as wanted.
    const exit = process === undefined ? undefined : await exitOf(process);
    // One that is being closed may take its time, and tells its end then.
    if (this.#closing !== undefined) return;
    this.#end(new HostError(error.code, error.message, { cause: error, data: { ...error.data, ...exitData(exit) } }), exit);
    // Nothing can be had from an agent that closed its stdout and goes on.
    await process?.stop();
  }

  #end(error: HostError, exit: ExitInfo | undefined): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#probe?.dispose();
    this.#onEvent.fire({ type: 'closed', error, exit });
  }

  #session(sessionId: string): AcpSession {
    const session = this.#incoming.session(sessionId);
    if (session === undefined)
      throw new HostError('session_unknown', 'This conversation is not open in the agent', { data: { sessionId } });
    return session;
  }

  #takeUp(
    spec: typeof requests.loadSession | typeof requests.resumeSession,
    sessionId: string,
    options: SessionOptions,
  ): Promise<OpenedSession> {
    return this.#incoming.whileOpening(async () => {
      const session = this.#createSession(sessionId, options.cwd);
      const before = this.#incoming.session(sessionId);
      // Known before it is asked for: the whole history comes ahead of the answer.
      this.#incoming.open(session);
      try {
        const result = await this.#call(
          spec,
          { sessionId, cwd: options.cwd, mcpServers: [...options.mcpServers] },
          this.#options.deadlines.sessionMs,
        );
        session.endTurn();
        const moreOptions = this.#askForModels(session);
        return { sessionId, ...this.#applyLoaded(session, toSessionOffer(result)), ...(moreOptions === undefined ? {} : { moreOptions }) };
      } catch (error) {
        this.#incoming.forget(sessionId, before);
        throw toResumeError(toHostError(error));
      }
    });
  }

  #createSession(sessionId: string, cwd: string): AcpSession {
    return new AcpSession({
      sessionId,
      cwd,
      quirks: this.#quirks,
      clock: this.#options.clock,
      fire: (event) => this.#onEvent.fire(event),
      onProblem: (problem) => this.#incoming.report(problem),
    });
  }

  #applyLoaded(session: AcpSession, { modes, configOptions }: SessionOffer): Pick<OpenedSession, 'modes' | 'configOptions'> {
    session.configOptions = configOptions;
    const described = this.#quirks.modes(modes);
    if (modes !== undefined || described === undefined) {
      session.map.currentModeId = described?.currentModeId;
      return { modes: described, configOptions };
    }
    // As an event and not as the agent's answer, which said nothing of modes: the caller must see the difference.
    const currentModeId = session.map.currentModeId ?? described.currentModeId;
    session.map.currentModeId = currentModeId;
    session.emit({ type: 'modes', at: this.#options.clock.now(), modes: { ...described, currentModeId } });
    return { modes: undefined, configOptions };
  }

  /** Beside everything else: a provider may take its time, and the session works without. */
  #askForModels(session: AcpSession): Promise<void> | undefined {
    const { listModelsMethod } = this.#quirks;
    if (listModelsMethod === undefined) return undefined;
    return this.#call(listModels(listModelsMethod), { sessionId: session.id }, modelsMs).then(
      (models) => {
        if (models.length === 0 || this.#incoming.session(session.id) !== session) return;
        session.models = models;
        session.emitConfigOptions(session.configOptions);
      },
      (error: unknown) => this.#options.log.debug('The agent did not tell its models', error),
    );
  }

  async #call<P, R>(spec: MethodSpec<P, R>, params: P, timeoutMs?: number): Promise<R> {
    const peer = this.#connection?.peer;
    if (peer === undefined || this.#closed) throw new HostError('agent_exited', 'The agent is not running');
    try {
      return await peer.request(spec, params, timeoutMs === undefined ? {} : { timeoutMs });
    } catch (error) {
      throw toCallError(toHostError(error), {
        quirks: this.#quirks,
        redactor: this.#redactor,
        authMethods: this.#info?.authMethods ?? [],
      });
    }
  }
}

function mergeEnv(inherited: NodeJS.ProcessEnv, own: AgentCommand['env']): NodeJS.ProcessEnv {
  const env = { ...inherited };
  for (const [name, value] of Object.entries(own)) {
    if (value === null) delete env[name];
    else env[name] = value;
  }
  return env;
}

async function exitOf(process: AgentProcess): Promise<ExitInfo | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), exitWaitMs)));
  return Promise.race([process.exited, tooLong]).finally(() => clearTimeout(timer));
}
