/** A process with everything that it starts, which is ended completely, also if this process dies. */
import { randomUUID } from 'node:crypto';
import type { Disposable } from '../base/disposable.js';
import type { Logger } from '../base/logger.js';
import { identifyProcess, listTree, type ProcessIdentity } from '../node/processTree.js';
import { type ChildProcess, type ExitInfo, spawnProcess, type SpawnOptions } from '../node/spawnProcess.js';
import { forcedSteps, gracefulSteps, idleAfterMs, type RunningProcess, stopProcess } from './stopProcess.js';
import { type Watch, watchProcess } from './watchdog.js';

export interface StopOptions {
  /** For a process that hangs: each step takes only a fraction of a second. */
  readonly force?: boolean;
  /** How long it may take to end by itself after its stdin was closed. */
  readonly graceMs?: number;
  /** Nothing is running in it, so a process that is idle for a second after its stdin was closed will not end by itself. */
  readonly nothingRuns?: boolean;
}

/**
 * The environment variable that marks a process and everything that it starts. It identifies descendants whose parents have exited. An agent
 * that is itself a host adds its own mark, so that either host finds its processes.
 */
const markVariable = 'ACP_HOST_AGENT_ID';

/** @throws HostError `agent_not_found`, `spawn_failed` */
export async function spawnOwned(options: Omit<SpawnOptions, 'ownGroup'>, log: Logger): Promise<OwnedProcess> {
  const { env } = options;
  const mark = randomUUID();
  const marks = env[markVariable] === undefined ? mark : `${env[markVariable]}:${mark}`;
  const child = await spawnProcess({ ...options, env: { ...env, [markVariable]: marks }, ownGroup: true });
  return new OwnedProcess(child, mark, log);
}

/** See `spawnOwned`. */
export class OwnedProcess {
  readonly pid: number;
  readonly child: ChildProcess;
  /** Resolves when the process itself has exited. Its output may not have been read completely by then. */
  readonly exited: Promise<ExitInfo>;
  readonly #startedMs = Date.now();
  readonly #mark: string;
  readonly #log: Logger;
  readonly #identity: Promise<ProcessIdentity | undefined>;
  readonly #descendants: Descendants;
  readonly #watch: Promise<Watch>;
  readonly #hurry = new AbortController();
  #closeInput: () => void;
  #stopping: Promise<ExitInfo> | undefined;
  #lastOutputAt = 0;

  constructor(child: ChildProcess, mark: string, log: Logger) {
    this.child = child;
    this.#mark = mark;
    this.#log = log;
    this.#closeInput = () => void child.stdin.end();
    this.pid = child.pid ?? -1;
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal, requested: this.isStopping }));
    });
    this.#identity = identifyProcess(this.pid).catch((error: unknown) => {
      log.warn('Could not identify a process; its child processes may outlive it', { pid: this.pid }, error);
      return undefined;
    });
    this.#watch = this.#identity.then((identity) => watchProcess({ pid: this.pid, startedMs: this.#startedMs, identity, mark }, log));
    this.#descendants = new Descendants(this.#identity, log, (members) => void this.#watch.then((watch) => watch.family(members)));
    child.once('exit', () => this.#descendants.dispose());
  }

  get isStopping(): boolean {
    return this.#stopping !== undefined;
  }

  /** Replaces how its stdin is closed. */
  closesInput(close: () => void): void {
    this.#closeInput = close;
  }

  /** Call this when it has written something. */
  onOutput(): void {
    this.#lastOutputAt = Math.max(this.#lastOutputAt, Date.now());
  }

  /** Call this when it may have started something. */
  onSignOfLife(): void {
    this.#descendants.onSignOfLife();
  }

  /** It writes no more, so it has noticed that it should end. */
  onOutputEnd(): void {
    this.#lastOutputAt = Infinity;
  }

  /**
   * Ends the process and everything that it started: closes stdin, then sends SIGINT, SIGTERM and SIGKILL. Idempotent; a later call with
   * `force` speeds up an earlier one. Never rejects.
   */
  stop(options: StopOptions = {}): Promise<ExitInfo> {
    if (options.force === true) this.#hurry.abort();
    this.#stopping ??= this.#stop(options);
    return this.#stopping;
  }

  async #stop(options: StopOptions): Promise<ExitInfo> {
    try {
      return await this.#end(options);
    } finally {
      (await this.#watch).dispose();
    }
  }

  async #end(options: StopOptions): Promise<ExitInfo> {
    const steps = options.force === true ? forcedSteps : gracefulSteps;
    const identity = await this.#identity;
    const running: RunningProcess = {
      pid: this.pid,
      startedMs: this.#startedMs,
      identity,
      seen: () => this.#descendants.seen,
      // A process that exits at once is gone before it is identified, but what it started may not be.
      mark: this.#mark,
      exited: this.exited,
      closeInput: () => this.#closeInput(),
      lastOutputAt: () => this.#lastOutputAt,
      signal: (signal) => void this.child.kill(signal),
    };
    try {
      const idle = options.nothingRuns === true ? { idleMs: idleAfterMs } : {};
      const graceMs = options.graceMs ?? steps.graceMs;
      const ended = await stopProcess(running, { ...steps, ...idle, graceMs }, this.#hurry.signal, this.#log);
      if (!ended) return { code: null, signal: 'SIGKILL', requested: true };
    } catch (error) {
      this.#log.error('Could not end a process and its child processes; killing it', { pid: this.pid }, error);
      this.child.kill('SIGKILL');
    }
    return this.exited;
  }
}

/** Listing visits every process of the machine, which takes milliseconds, so it does not happen for each chunk that an agent streams. */
const listAfterMs = 500;

/**
 * Keeps track of what a process has started. The shells of agents lead their own sessions, so they can't be found once the agent was killed.
 * It lists them shortly after each sign of life, because an agent writes something when it starts a process. A silent agent costs
 * nothing.
 */
export class Descendants implements Disposable {
  readonly #root: Promise<ProcessIdentity | undefined>;
  readonly #log: Logger;
  readonly #onChange: (seen: readonly ProcessIdentity[]) => void;
  #seen: readonly ProcessIdentity[] = [];
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  /** @param onChange is called when the processes differ from the last time */
  constructor(root: Promise<ProcessIdentity | undefined>, log: Logger, onChange: (seen: readonly ProcessIdentity[]) => void) {
    this.#root = root;
    this.#log = log;
    this.#onChange = onChange;
  }

  get seen(): readonly ProcessIdentity[] {
    return this.#seen;
  }

  onSignOfLife(): void {
    if (this.#ended) return;
    this.#timer ??= setTimeout(() => void this.#list(), listAfterMs).unref();
  }

  /** The process is gone; what was found so far stays in `seen`. */
  dispose(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  async #list(): Promise<void> {
    // A sign of life from here on may be too late for this listing, so it causes another one.
    this.#timer = undefined;
    const root = await this.#root;
    const members =
      root === undefined
        ? undefined
        : await listTree(root).catch((error: unknown) => {
            this.#log.debug('Could not list the child processes of the agent', error);
            return undefined;
          });
    if (this.#ended || members === undefined) return;
    const changed = !isSame(this.#seen, members);
    this.#seen = members;
    if (changed) this.#onChange(members);
  }
}

function isSame(before: readonly ProcessIdentity[], now: readonly ProcessIdentity[]): boolean {
  const known = new Map(before.map(({ pid, startedAt }) => [pid, startedAt]));
  return now.length === before.length && now.every(({ pid, startedAt }) => known.get(pid) === startedAt);
}
