import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Disposable } from '../base/disposable.js';
import { Emitter, type Event } from '../base/event.js';
import type { Logger } from '../base/logger.js';
import type { ExitInfo } from '../node/exitInfo.js';
import { identifyProcess, listMarked, listTree, type ProcessIdentity } from '../node/processTree.js';
import { commandNotFound, launchWith, resolveLaunch } from '../node/resolveCommand.js';
import { type ChildProcess, spawnProcess } from '../node/spawnProcess.js';
import type { MessageChannel } from '../transport/messageChannel.js';
import { NdjsonChannel, type NdjsonChannelOptions } from '../transport/ndjsonChannel.js';
import { forcedSteps, gracefulSteps, idleAfterMs, type RunningProcess, stopProcess } from './stopProcess.js';
import { type Watch, watchProcess } from './watchdog.js';

export interface AgentProcessOptions {
  /** Searched in the PATH of `env`, or relative to `cwd` if it contains a folder. */
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute, must exist. */
  readonly cwd: string;
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  readonly channel?: Omit<NdjsonChannelOptions, 'log'>;
}

export interface StopOptions {
  /** For an agent that hangs: each step takes only a fraction of a second. */
  readonly force?: boolean;
  /** How long it may take to end by itself after its stdin was closed. */
  readonly graceMs?: number;
  /** Nothing is running in the agent, so an agent that is idle for a second after its stdin was closed will not end by itself. */
  readonly nothingRuns?: boolean;
}

export interface AgentProcess {
  readonly pid: number;
  /** Its stdout and stdin. Ends with stdout, or shortly after the process if another process keeps stdout open. */
  readonly channel: MessageChannel;
  /** Resolves when the process has exited. Its output may not have been read completely by then; see the end of the channel. */
  readonly exited: Promise<ExitInfo>;
  /** Each line of its stderr, not redacted. */
  readonly onStderrLine: Event<string>;
  /** The incomplete last line, whenever it changes; empty when it is complete. */
  readonly onStderrPartial: Event<string>;
  /**
   * Ends the process and everything that it started: closes stdin, then sends SIGINT, SIGTERM and SIGKILL. Idempotent; a later call with
   * `force` speeds up an earlier one. Never rejects.
   */
  stop(options?: StopOptions): Promise<ExitInfo>;
}

/** How long stdout may be silent after the process has exited, if a descendant still has it open. */
const silenceAfterExitMs = 500;

/** How long a process may run after it closed its own stdin. */
const afterInputMs = 1_000;

/**
 * The environment variable that marks an agent and everything that it starts. It identifies descendants whose parents have exited. An agent
 * that is itself a host adds its own mark, so that either host finds its processes.
 */
const markVariable = 'ACP_HOST_AGENT_ID';

/** @throws HostError `agent_not_found`, `spawn_failed` */
export async function spawnAgentProcess(options: AgentProcessOptions): Promise<AgentProcess> {
  const { command, cwd, env } = options;
  const launch = await resolveLaunch(command, { env, cwd });
  if (launch === undefined) throw commandNotFound(command);
  const mark = randomUUID();
  const marks = env[markVariable] === undefined ? mark : `${env[markVariable]}:${mark}`;
  const child = await spawnProcess({ ...launchWith(launch, options.args), cwd, env: { ...env, [markVariable]: marks }, ownGroup: true });
  return new SpawnedAgent(child, mark, options);
}

class SpawnedAgent implements AgentProcess {
  readonly pid: number;
  readonly channel: MessageChannel;
  readonly exited: Promise<ExitInfo>;
  readonly #child: ChildProcess;
  readonly #startedMs = Date.now();
  readonly #mark: string;
  readonly #log: Logger;
  readonly #stderr = new StderrLines();
  readonly #identity: Promise<ProcessIdentity | undefined>;
  readonly #descendants: Descendants;
  readonly #watch: Promise<Watch>;
  readonly #hurry = new AbortController();
  #stopping: Promise<ExitInfo> | undefined;
  #lastOutputAt = 0;

  constructor(child: ChildProcess, mark: string, { log, channel }: AgentProcessOptions) {
    this.#child = child;
    this.#mark = mark;
    this.#log = log;
    this.pid = child.pid ?? -1;
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal, requested: this.#stopping !== undefined }));
    });
    this.#identity = identifyProcess(this.pid).catch((error: unknown) => {
      log.warn('Could not identify the process of the agent; its child processes may outlive it', error);
      return undefined;
    });
    this.#watch = this.#identity.then((identity) => watchProcess({ pid: this.pid, startedMs: this.#startedMs, identity, mark }, log));
    this.#descendants = new Descendants(this.#identity, log, (members) => void this.#watch.then((watch) => watch.family(members)));
    this.channel = new NdjsonChannel(child.stdout, child.stdin, { ...channel, log });
    // Must come after the channel, which keeps the pipe paused until it is read.
    child.stdout.on('data', () => {
      this.#lastOutputAt = Date.now();
      this.#descendants.onSignOfLife();
    });
    // An agent that closes stdout has noticed that it should end.
    child.stdout.once('close', () => (this.#lastOutputAt = Infinity));
    child.stderr.on('data', (chunk: Buffer) => {
      this.#lastOutputAt = Math.max(this.#lastOutputAt, Date.now());
      this.#stderr.push(chunk);
    });
    child.stderr.on('error', (error) => log.warn('Could not read stderr of the agent', error));
    child.stderr.once('close', () => this.#stderr.end());
    child.stdin.once('close', () => this.#afterInput());
    child.once('exit', () => this.#afterExit());
  }

  get onStderrLine(): Event<string> {
    return this.#stderr.onLine;
  }

  get onStderrPartial(): Event<string> {
    return this.#stderr.onPartial;
  }

  stop(options: StopOptions = {}): Promise<ExitInfo> {
    if (options.force === true) this.#hurry.abort();
    this.#stopping ??= this.#stop(options).finally(async () => (await this.#watch).dispose());
    return this.#stopping;
  }

  async #stop(options: StopOptions): Promise<ExitInfo> {
    const steps = options.force === true ? forcedSteps : gracefulSteps;
    const identity = await this.#identity;
    const running: RunningProcess = {
      pid: this.pid,
      startedMs: this.#startedMs,
      identity,
      seen: () => this.#descendants.seen,
      strays: () => (identity === undefined ? Promise.resolve([]) : listMarked(this.#mark, identity.startedAt)),
      exited: this.exited,
      closeInput: () => this.channel.end(),
      lastOutputAt: () => this.#lastOutputAt,
      signal: (signal) => void this.#child.kill(signal),
    };
    try {
      const idle = options.nothingRuns === true ? { idleMs: idleAfterMs } : {};
      const graceMs = options.graceMs ?? steps.graceMs;
      const ended = await stopProcess(running, { ...steps, ...idle, graceMs }, this.#hurry.signal, this.#log);
      if (!ended) return { code: null, signal: 'SIGKILL', requested: true };
    } catch (error) {
      this.#log.error('Could not end the agent and its child processes; killing the agent', error);
      this.#child.kill('SIGKILL');
    }
    return this.exited;
  }

  /** Gives up on an agent that closed its stdin, because it can't receive anything any more. Does nothing if it is already being ended. */
  #afterInput(): void {
    if (this.#stopping !== undefined) return;
    const timer = setTimeout(() => this.#child.stdout.destroy(), afterInputMs);
    this.#child.once('exit', () => clearTimeout(timer));
  }

  #afterExit(): void {
    this.#descendants.dispose();
    // Also ends the processes that the agent left behind if it exited by itself.
    void this.stop({ force: true });
    this.#child.stdin.destroy();
    endWhenSilent(this.#child.stdout);
    endWhenSilent(this.#child.stderr);
  }
}

/** Closes a pipe that a child of the agent has inherited and may never close. What the pipe contains is read first, however slowly. */
function endWhenSilent(output: Readable): void {
  if (output.closed) return;
  let seenBytes = -1;
  const timer = setInterval(() => {
    const bytesRead = output instanceof Socket ? output.bytesRead : 0;
    const silent = bytesRead === seenBytes && output.readableLength === 0 && !output.isPaused();
    seenBytes = bytesRead;
    if (silent) output.destroy();
  }, silenceAfterExitMs);
  output.once('close', () => clearInterval(timer));
}

/** Longer lines are split into pieces. */
const lineChars = 8 * 1024;

/** Splits a program's stderr into lines. Bounded whatever the program writes; a character that is split between chunks stays whole. */
export class StderrLines {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLine = new Emitter<string>();
  readonly #onPartial = new Emitter<string>();
  #partial = '';

  /** Each complete line without its line ending. Not redacted. */
  get onLine(): Event<string> {
    return this.#onLine.event;
  }

  /** The incomplete last line, whenever it changes; empty when it is complete. */
  get onPartial(): Event<string> {
    return this.#onPartial.event;
  }

  push(chunk: Buffer): void {
    const before = this.#partial;
    const lines = (this.#partial + this.#decoder.write(chunk)).split('\n');
    this.#partial = lines.pop() ?? '';
    for (const line of lines) this.#emit(line.endsWith('\r') ? line.slice(0, -1) : line);
    while (this.#partial.length > lineChars) {
      this.#onLine.fire(this.#partial.slice(0, lineChars));
      this.#partial = this.#partial.slice(lineChars);
    }
    if (this.#partial !== before) this.#onPartial.fire(this.#partial);
  }

  /** A last line without a line ending counts too. */
  end(): void {
    this.#partial += this.#decoder.end();
    if (this.#partial !== '') this.#emit(this.#partial);
    this.#partial = '';
    this.#onPartial.fire('');
    this.#onLine.dispose();
    this.#onPartial.dispose();
  }

  #emit(line: string): void {
    for (let start = 0; start === 0 || start < line.length; start += lineChars) this.#onLine.fire(line.slice(start, start + lineChars));
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
