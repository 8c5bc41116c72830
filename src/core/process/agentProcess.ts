import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { Emitter, type Event } from '../base/event.js';
import type { Logger } from '../base/logger.js';
import type { ExitInfo } from '../node/spawnProcess.js';
import { commandNotFound, launchWith, resolveLaunch } from '../node/resolveCommand.js';
import type { MessageChannel } from '../transport/messageChannel.js';
import { NdjsonChannel, type NdjsonChannelOptions } from '../transport/ndjsonChannel.js';
import { type OwnedProcess, spawnOwned, type StopOptions } from './ownedProcess.js';

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

/** How often a pipe is looked at that a descendant may still have open: without anything between two looks, it is silent. */
const silenceAfterExitMs = 500;

/** How long a process may run after it closed its own stdin. */
const afterInputMs = 1_000;

/** @throws HostError `agent_not_found`, `spawn_failed` */
export async function spawnAgentProcess(options: AgentProcessOptions): Promise<AgentProcess> {
  const { command, cwd, env } = options;
  const launch = await resolveLaunch(command, { env, cwd });
  if (launch === undefined) throw commandNotFound(command);
  return new SpawnedAgent(await spawnOwned({ ...launchWith(launch, options.args), cwd, env }, options.log), options);
}

class SpawnedAgent implements AgentProcess {
  readonly pid: number;
  readonly channel: MessageChannel;
  readonly exited: Promise<ExitInfo>;
  readonly #process: OwnedProcess;
  readonly #stderr = new StderrLines();

  constructor(owned: OwnedProcess, { log, channel }: AgentProcessOptions) {
    const { child } = owned;
    this.#process = owned;
    this.pid = owned.pid;
    this.exited = owned.exited;
    this.channel = new NdjsonChannel(child.stdout, child.stdin, { ...channel, log });
    owned.closesInput(() => this.channel.end());
    // Must come after the channel, which keeps the pipe paused until it is read.
    child.stdout.on('data', () => {
      owned.onOutput();
      owned.onSignOfLife();
    });
    child.stdout.once('close', () => owned.onOutputEnd());
    child.stderr.on('data', (chunk: Buffer) => {
      owned.onOutput();
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
    return this.#process.stop(options);
  }

  /** Gives up on an agent that closed its stdin, because it can't receive anything any more. Does nothing if it is already being ended. */
  #afterInput(): void {
    const { child, isStopping } = this.#process;
    if (isStopping) return;
    const timer = setTimeout(() => child.stdout.destroy(), afterInputMs);
    child.once('exit', () => clearTimeout(timer));
  }

  #afterExit(): void {
    const { child } = this.#process;
    // Also ends the processes that the agent left behind if it exited by itself.
    void this.stop({ force: true });
    child.stdin.destroy();
    for (const output of [child.stdout, child.stderr]) void whenSilent(output, silenceAfterExitMs).then(() => output.destroy());
  }
}

/**
 * Resolves when a pipe of a process that has exited is closed, or silent: a child has inherited it and may never close it. What the pipe
 * contains is read first, however slowly.
 * @param lookMs if nothing comes between two looks, it is silent @param longestMs for a pipe that never is
 */
export function whenSilent(output: Readable, lookMs: number, longestMs = Infinity): Promise<void> {
  if (output.closed) return Promise.resolve();
  return new Promise((resolve) => {
    const until = performance.now() + longestMs;
    let seenBytes = -1;
    const end = (): void => {
      clearInterval(timer);
      resolve();
    };
    const timer = setInterval(() => {
      const bytesRead = output instanceof Socket ? output.bytesRead : 0;
      const isSilent = bytesRead === seenBytes && output.readableLength === 0 && !output.isPaused();
      seenBytes = bytesRead;
      if (isSilent || performance.now() >= until) end();
    }, lookMs);
    output.once('close', end);
  });
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
