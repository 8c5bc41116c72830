import { randomUUID } from 'node:crypto';
import type { Disposable } from '../../base/disposable.js';
import { HostError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { type CommandTerminal, startTerminal, type TerminalExit } from '../../process/commandTerminal.js';

/** More than an agent has any use for at a time. */
const mostTerminals = 256;
const usualLimitBytes = 1024 * 1024;
const longestLimitBytes = 16 * 1024 * 1024;
/** Output that arrives in between is reported together. */
const paceMs = 100;

export interface NewTerminal {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
  readonly outputByteLimit: number | undefined;
}

/** Receives what a terminal has printed since the last call, and at last how it ended. */
export type ReportTerminal = (terminalId: string, text: string, exit: TerminalExit | undefined) => void;

/** The commands that run for the agent of one session. No other session can name them. */
export class SessionTerminals implements Disposable {
  readonly #terminals = new Map<string, CommandTerminal>();
  readonly #env: NodeJS.ProcessEnv;
  readonly #log: Logger;
  readonly #report: ReportTerminal;
  readonly #most: number;
  readonly #ending = new Set<Promise<void>>();
  /** Commands that are being started. */
  #starting = 0;
  #isDisposed = false;

  /** @param env what commands inherit */
  constructor(env: NodeJS.ProcessEnv, log: Logger, report: ReportTerminal, most = mostTerminals) {
    this.#most = most;
    this.#env = env;
    this.#log = log;
    this.#report = report;
  }

  /** @throws HostError `agent_not_found`, `spawn_failed`, `queue_full` if too many are running, `disposed` */
  async create({ outputByteLimit = usualLimitBytes, env, ...command }: NewTerminal): Promise<string> {
    if (this.#terminals.size + this.#starting >= this.#most) this.#makeRoom();
    const limitBytes = Math.min(outputByteLimit, longestLimitBytes);
    this.#starting++;
    const starting = startTerminal({ ...command, env: { ...this.#env, ...env }, limitBytes, log: this.#log });
    const terminal = await starting.finally(() => this.#starting--);
    const id = randomUUID();
    this.#terminals.set(id, terminal);
    this.#watch(id, terminal);
    // The session may have ended while the command was starting.
    if (this.#isDisposed) {
      this.release(id);
      throw new HostError('disposed', { reason: 'conversation' });
    }
    return id;
  }

  /** @returns undefined if the session has no such terminal */
  get(id: string): CommandTerminal | undefined {
    return this.#terminals.get(id);
  }

  /** Ends the command, and forgets it. Does nothing if there is none. */
  release(id: string): void {
    const terminal = this.#terminals.get(id);
    this.#terminals.delete(id);
    if (terminal === undefined) return;
    const ending: Promise<void> = terminal.end().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  /** Resolves when what was released has ended. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#ending);
  }

  /** Ends all commands. */
  dispose(): void {
    this.#isDisposed = true;
    for (const id of [...this.#terminals.keys()]) this.release(id);
  }

  /** Some agents release nothing. */
  #makeRoom(): void {
    for (const [id, { exit }] of this.#terminals) if (exit !== undefined) return this.release(id);
    throw new HostError('queue_full');
  }

  #watch(id: string, terminal: CommandTerminal): void {
    let pending = '';
    let timer: NodeJS.Timeout | undefined;
    const flush = (exit?: TerminalExit): void => {
      clearTimeout(timer);
      timer = undefined;
      const text = pending;
      pending = '';
      if (text !== '' || exit !== undefined) this.#report(id, text, exit);
    };
    terminal.onOutput((text) => {
      pending += text;
      timer ??= setTimeout(flush, paceMs);
    });
    void terminal.exited.then(flush);
  }
}
