import { StringDecoder } from 'node:string_decoder';
import { whenSilent } from './agentProcess.js';
import { Emitter } from '../base/event.js';
import type { Logger } from '../base/logger.js';
import { type OwnedProcess, spawnOwned } from './ownedProcess.js';
import { commandNotFound, launchWith, resolveLaunch } from '../node/resolveCommand.js';

/** The last bytes of a stream, without a character that was cut in two at their beginning. */
export class ByteRing {
  readonly #limitBytes: number;
  #chunks: Buffer[] = [];
  /** Chunks before this one are dropped. */
  #first = 0;
  #bytes = 0;
  #isTruncated = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Whether bytes were dropped. */
  get isTruncated(): boolean {
    return this.#isTruncated || this.#bytes > this.#limitBytes;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (let first = this.#chunks[this.#first]; first !== undefined; first = this.#chunks[++this.#first]) {
      if (this.#bytes - first.length < this.#limitBytes) break;
      this.#bytes -= first.length;
      this.#isTruncated ||= first.length > 0;
    }
    // Moving the rest for each dropped chunk would take quadratic time.
    if (this.#first * 2 <= this.#chunks.length) return;
    this.#chunks = this.#chunks.slice(this.#first);
    this.#first = 0;
  }

  /** Invalid UTF-8 becomes U+FFFD. */
  get text(): string {
    return this.#kept.toString('utf8');
  }

  /** The text while more may follow: without a character that has arrived in part. */
  get textSoFar(): string {
    return new StringDecoder('utf8').write(this.#kept);
  }

  get #kept(): Buffer {
    const all = Buffer.concat(this.#chunks.slice(this.#first));
    if (!this.isTruncated) return all;
    let start = Math.max(0, all.length - this.#limitBytes);
    // Bytes of the form 10xxxxxx continue a character, which has at most three of them.
    for (let skipped = 0; skipped < 3 && ((all[start] ?? 0) & 0xc0) === 0x80; skipped++) start++;
    return all.subarray(start);
  }
}

export interface TerminalOptions {
  /** A program, searched as for an agent. If there are no arguments and no such program, a shell gets it as its script. */
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute, must exist. */
  readonly cwd: string;
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv;
  /** The number of bytes of output to keep, the latest ones. */
  readonly limitBytes: number;
  readonly log: Logger;
}

export interface TerminalExit {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How often the output is looked at after the process has exited, while something that it started still has it open. */
const lookMs = 150;
/** Output that never pauses delays the end no longer. */
const longestMs = 2_000;

/** @throws HostError `agent_not_found`, `spawn_failed` */
export async function startTerminal(options: TerminalOptions): Promise<CommandTerminal> {
  const { command, args, cwd, env, log } = options;
  const launch = await resolveLaunch(command, { env, cwd });
  const call = launch === undefined ? shellCall(options) : launchWith(launch, args);
  return new CommandTerminal(await spawnOwned({ ...call, cwd, env }, log), options);
}

/** @throws HostError `agent_not_found` */
function shellCall({ command, args, env }: TerminalOptions): ReturnType<typeof launchWith> {
  if (args.length > 0 || command.trim() === '') throw commandNotFound(command);
  return process.platform === 'win32'
    ? { file: env['ComSpec'] ?? 'C:\\Windows\\System32\\cmd.exe', args: [`/d /s /c "${command}"`], verbatim: true }
    : { file: '/bin/sh', args: ['-c', command], verbatim: false };
}

/** A command that runs for an agent, without input. What it started goes on when it has exited, until it is ended. */
export class CommandTerminal {
  /** Resolves when the command has exited and its output is read. */
  readonly exited: Promise<TerminalExit>;
  readonly #process: OwnedProcess;
  readonly #ring: ByteRing;
  readonly #onOutput = new Emitter<string>();
  #exit: TerminalExit | undefined;

  constructor(owned: OwnedProcess, { limitBytes, log }: TerminalOptions) {
    this.#process = owned;
    this.#ring = new ByteRing(limitBytes);
    const { stdin, stdout, stderr } = owned.child;
    // Some programs wait for the end of their input.
    stdin.on('error', () => {});
    stdin.end();
    for (const stream of [stdout, stderr]) {
      const decoder = new StringDecoder('utf8');
      stream.on('data', (chunk: Buffer) => this.#receive(chunk, decoder.write(chunk)));
      stream.once('close', () => this.#tell(decoder.end()));
      stream.on('error', (error) => log.debug('Could not read the output of a command', error));
    }
    this.exited = this.#whenRead();
  }

  /** The output as it arrives, in whole characters. */
  get onOutput(): Emitter<string>['event'] {
    return this.#onOutput.event;
  }

  get output(): { readonly text: string; readonly isTruncated: boolean } {
    return { text: this.#exit === undefined ? this.#ring.textSoFar : this.#ring.text, isTruncated: this.#ring.isTruncated };
  }

  /** Undefined until the command has exited and its output is read. */
  get exit(): TerminalExit | undefined {
    return this.#exit;
  }

  /** Ends the command and everything that it started. Its output stays. Never rejects. */
  async end(): Promise<void> {
    await this.#process.stop({ force: true });
    await this.exited;
    // A program that escaped may hold them open.
    for (const stream of [this.#process.child.stdout, this.#process.child.stderr]) stream.destroy();
  }

  #receive(chunk: Buffer, text: string): void {
    this.#process.onOutput();
    this.#process.onSignOfLife();
    this.#ring.push(chunk);
    this.#tell(text);
  }

  #tell(text: string): void {
    if (text !== '') this.#onOutput.fire(text);
  }

  async #whenRead(): Promise<TerminalExit> {
    const { child, exited } = this.#process;
    const { code, signal } = await exited;
    await Promise.all([child.stdout, child.stderr].map((output) => whenSilent(output, lookMs, longestMs)));
    return (this.#exit = { code, signal });
  }
}
