/**
 * Connects to agents of the Pi family. Their protocol has one session per process, so each session gets its own process: conversations run
 * in parallel, and the end of one does not affect the others.
 */
import { dirname, isAbsolute, resolve } from 'node:path';
import { type ConnectionStats, noStats, sumOfStats } from '../../traffic/trafficItem.js';
import { retryIn } from '../../agents/standardQuirks.js';
import { HostError } from '../../base/errors.js';
import { Emitter } from '../../base/event.js';
import type { ExitInfo } from '../../node/spawnProcess.js';
import { fileFacts } from '../../node/files.js';
import type {
  AgentBackend,
  AgentInfo,
  BackendEnd,
  BackendSession,
  BackendSessions,
  CloseOptions,
  ConnectAgent,
  ConnectOptions,
  OpenRequest,
  ResumeMethod,
  SessionSink,
} from '../agentBackend.js';
import { exitParams } from '../handshakeError.js';
import { LeftOut, plainInfo } from '../agentInput.js';
import { type PiDialect, piDialect, xcshDialect } from './dialect.js';
import { promptContent } from './piContent.js';
import type { Command } from './piCalls.js';
import { deriveSession, openNew, openSaved } from './piOpen.js';
import { PiProcess } from './piProcess.js';
import { PiSavedSessions } from './piSavedSessions.js';
import type { PiSession } from './piSession.js';
import type { DerivedSession } from './piVerbs.js';
import type { PiState } from './schema/answers.js';

export const connectPi: ConnectAgent = (options) => connect(options, piDialect);
export const connectXcsh: ConnectAgent = (options) => connect(options, xcshDialect);

async function connect(options: ConnectOptions, dialect: PiDialect): Promise<AgentBackend> {
  const backend = new PiBackend(options, dialect);
  await backend.start();
  return backend;
}

interface Started {
  readonly process: PiProcess;
  readonly state: PiState;
}

const noMethods: readonly ResumeMethod[] = [];

class PiBackend implements AgentBackend, BackendSessions {
  readonly info: AgentInfo;
  readonly #options: ConnectOptions;
  readonly #dialect: PiDialect;
  readonly #leftOut: LeftOut;
  readonly #onClosed = new Emitter<BackendEnd>();
  readonly #processes = new Set<PiProcess>();
  readonly #sessions = new Map<PiProcess, PiSession>();
  /** Counts of processes that have ended. */
  #before = noStats;
  #ids = 0;
  /** A process without a session: the first one, until a session is opened. */
  #spare: Started | undefined;
  /** Undefined if the agent saves no sessions. */
  saved?: PiSavedSessions;
  #gone: HostError | undefined;
  #isClosing = false;

  constructor(options: ConnectOptions, dialect: PiDialect) {
    this.#options = options;
    this.#dialect = dialect;
    this.#leftOut = new LeftOut(options.log);
    this.info = { ...plainInfo(options), promptContent, capabilities: { dialect: dialect.name } };
  }

  readonly onClosed = this.#onClosed.event;

  get sessions(): BackendSessions {
    return this;
  }

  get resumeMethods(): readonly ResumeMethod[] {
    return this.saved === undefined ? noMethods : ['load'];
  }

  get stats(): ConnectionStats {
    return { ...[...this.#processes].map(statsOf).reduce(sumOfStats, this.#before), leftOut: this.#leftOut.count };
  }

  async start(): Promise<void> {
    this.#spare = await this.#start(this.#options.cwd);
    const { sessionFile } = this.#spare.state;
    if (sessionFile !== undefined) this.saved = new PiSavedSessions(dirname(sessionFile));
  }

  async open(request: OpenRequest, sink: SessionSink): Promise<BackendSession> {
    if (this.#gone !== undefined) throw this.#gone;
    if (request.method === 'fork') throw new HostError('unsupported', { reason: 'fork' });
    if (request.method !== 'new' && !this.resumeMethods.includes(request.method))
      throw new HostError('unsupported', { reason: 'resume', method: request.method });
    const file = request.method === 'new' ? undefined : await this.#fileOf(request.sessionId);
    const { cwd } = request;
    const isElsewhere = resolve(cwd) !== resolve(this.#options.cwd);
    const spare = this.#takeSpare();
    const isFirst = spare !== undefined && !isElsewhere;
    const { process, state } = isFirst ? spare : await this.#start(cwd);
    // Its folder is not the one of the session.
    if (spare !== undefined && !isFirst) await this.#dismiss(spare.process, true);
    const parts = {
      ...this.#options,
      cwd,
      dialect: this.#dialect,
      process,
      deriveSession: (path: string, command: Command) => this.#deriveSession(cwd, path, command),
      onClosed: () => this.#dismiss(process),
      onOpen: (session: PiSession) => this.#sessions.set(process, session),
    };
    try {
      if (request.method === 'new') return await openNew(parts, { state, isFirst }, sink);
      return await openSaved(parts, { sessionId: request.sessionId, file: file ?? '' }, sink);
    } catch (error) {
      if (this.#gone === undefined) await this.#dismiss(process, true);
      throw error;
    }
  }

  async close(o: CloseOptions = {}): Promise<ExitInfo | undefined> {
    this.#isClosing = true;
    const processes = [...this.#processes];
    const exits = await Promise.all(processes.map((process) => process.close(o)));
    const [exit] = exits;
    // There was no process left that could report the end.
    if (processes.length === 0)
      this.#end({ error: new HostError('agent_exited', { reason: 'stopped', ...exitParams(undefined) }), exit: undefined });
    return exit ?? this.#lastExit;
  }

  #lastExit: ExitInfo | undefined;

  async #start(cwd: string): Promise<Started> {
    const { process, state } = await PiProcess.start({
      options: { ...this.#options, cwd },
      dialect: this.#dialect,
      leftOut: this.#leftOut,
      nextId: () => `h${++this.#ids}`,
      onLost: (lost, error) => this.#onLost(lost, error),
      onEnd: (ended, end) => this.#onEnd(ended, end),
    });
    // Once its last process is lost, the agent ends, and waits for that would never end if there were another process.
    if (this.#isClosing || this.#gone !== undefined) {
      await process.close({ force: true });
      throw new HostError('agent_exited', { reason: 'stopped' });
    }
    this.#processes.add(process);
    process.connection.watch({
      sessions: () => [this.#sessions.get(process)].filter((session) => session !== undefined),
      hint: retryIn,
      probe: () => process.state(this.#options.deadlines.queryMs),
    });
    return { process, state };
  }

  async #deriveSession(cwd: string, path: string, command: Command): Promise<DerivedSession> {
    const { process } = await this.#start(cwd);
    try {
      return await deriveSession({ process, deadlines: this.#options.deadlines }, path, command);
    } finally {
      await this.#dismiss(process);
    }
  }

  #takeSpare(): Started | undefined {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare;
  }

  /** The process or its pipe ended by itself. If it was the last one, the agent has ended; otherwise only its session has. */
  #onLost(process: PiProcess, error: HostError): HostError {
    if (this.#isClosing) return (this.#gone ??= error);
    // It has no session yet, or is no longer needed.
    if (!this.#processes.has(process)) return error;
    if (this.#processes.size === 1) return (this.#gone = error);
    return new HostError('session_unknown', { ...error.params, reason: 'lost' }, { cause: error });
  }

  #onEnd(process: PiProcess, end: BackendEnd): void {
    if (!this.#processes.has(process)) return;
    this.#forget(process);
    this.#lastExit = end.exit;
    if (this.#processes.size === 0) this.#end(end);
  }

  #end(end: BackendEnd): void {
    this.#gone ??= end.error;
    this.#onClosed.fire(end);
    this.#onClosed.dispose();
  }

  /** Ends a process that is no longer used; the agent continues. */
  async #dismiss(process: PiProcess, force = false): Promise<void> {
    this.#forget(process);
    await process.close({ force, nothingRuns: true });
  }

  #forget(process: PiProcess): void {
    if (!this.#processes.delete(process)) return;
    this.#sessions.delete(process);
    this.#before = sumOfStats(this.#before, statsOf(process));
  }

  /**
   * A path is used as it is; any other id is looked up among the agent's own files.
   * @throws HostError `session_unknown`
   */
  async #fileOf(sessionId: string): Promise<string> {
    const isPath = isAbsolute(sessionId) || /[/\\]|\.jsonl$/.test(sessionId);
    const path = isPath ? resolve(this.#options.cwd, sessionId) : await this.saved?.find(sessionId);
    // Older agents create a missing file and start a new session in it.
    if (path !== undefined && (await fileFacts(path)) !== undefined) return path;
    throw new HostError('session_unknown', { reason: 'refused', sessionId });
  }
}

function statsOf({ calls, noiseLines, invalidMessages, pauses }: PiProcess): ConnectionStats {
  const { timeouts, unknownResponses } = calls;
  return { ...noStats, timeouts, unknownResponses, noiseLines, invalidMessages, pauses };
}
