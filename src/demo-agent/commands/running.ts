import { spawn } from 'node:child_process';
import { runTool, textContent } from '../toolCall.js';
import type { Turn } from '../turn.js';
import { type Command, fenced, needed } from './command.js';

interface ShellEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

interface ShellRun {
  /** Absolute. */
  readonly cwd: string;
  /** Aborting ends the command with everything that it started. */
  readonly signal: AbortSignal;
  /** Gets the output of stdout and stderr as it arrives, decoded as UTF-8. */
  onOutput(text: string): void;
}

/**
 * Runs a command of the user in the shell, the only place in this program that starts processes, and ends all of them.
 * Resolves when the command and its outputs have ended, even after an abort.
 * @throws Error if the shell cannot be started
 */
function runInShell(command: string, { cwd, signal, onOutput }: ShellRun): Promise<ShellEnd> {
  // The editor's, in which this agent runs as a program of Node.
  const { ELECTRON_RUN_AS_NODE: _ours, ...env } = process.env;
  return new Promise((resolve, reject) => {
    // A separate process group, so that one signal ends the whole tree; on Windows, taskkill does that.
    const child = spawn(command, {
      cwd,
      env,
      shell: true,
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const kill = (): void => {
      killTree(child.pid);
      // A process that left the group may hold the pipes open forever, so this stops reading.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    signal.addEventListener('abort', kill, { once: true });
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', onOutput);
    child.once('error', (error) => {
      signal.removeEventListener('abort', kill);
      reject(error);
    });
    child.once('close', (exitCode, killedBy) => {
      signal.removeEventListener('abort', kill);
      resolve({ exitCode, signal: killedBy });
    });
    if (signal.aborted) kill();
  });
}

function killTree(pid: number | undefined): void {
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).once('error', reportFailedKill);
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    reportFailedKill(error);
  }
}

function reportFailedKill(error: unknown): void {
  console.error('demo agent: a command could not be stopped:', error);
}

/** The number of characters of output that a card shows. Of longer output, the card shows the end, which contains results and errors. */
const SHOWN_CHARACTERS = 16_000;
/** Updates are as frequent as a user can follow, because each one contains the whole output. */
const UPDATE_INTERVAL_MS = 100;

export const runCommand: Command = {
  name: 'run',
  hint: 'COMMAND',
  description: 'Run a command in the workspace, after asking',
  async run(turn, input) {
    const command = needed(input.trim(), 'run COMMAND');
    const { root } = turn.session.workspace;
    const end = await runTool(turn, {
      title: command,
      kind: 'execute',
      rawInput: { command, cwd: root },
      permission: { topic: `run:${command}`, scope: 'this command' },
      async run(card) {
        const output = new OutputTail((text) => card.show([textContent(fenced(text))]));
        const shellEnd = await runInShell(command, { cwd: root, signal: turn.signal, onOutput: (text) => output.add(text) });
        await output.finish();
        turn.signal.throwIfAborted();
        const content = output.text === '' ? [textContent('(no output)')] : [textContent(fenced(output.text))];
        return { value: shellEnd, content, rawOutput: { ...shellEnd, output: output.text }, failed: shellEnd.exitCode !== 0 };
      },
    });
    await sayEnd(turn, command, end);
  },
};

async function sayEnd(turn: Turn, command: string, { exitCode, signal }: ShellEnd): Promise<void> {
  if (exitCode === 0) await turn.say(`\`${command}\` exited with code 0.`);
  else await turn.say(`\`${command}\` failed: ${signal ? `terminated by ${signal}` : `exit code ${exitCode}`}.`);
}

/** Collects output and shows it at intervals, one update at a time. */
class OutputTail {
  readonly #show: (text: string) => Promise<void>;
  #text = '';
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #showing: Promise<void> = Promise.resolve();

  constructor(show: (text: string) => Promise<void>) {
    this.#show = show;
  }

  get text(): string {
    return this.#dropped === 0 ? this.#text : `[… ${this.#dropped.toLocaleString('en')} characters before this …]\n${this.#text}`;
  }

  add(text: string): void {
    this.#text += text;
    const excess = this.#text.length - SHOWN_CHARACTERS;
    if (excess > 0) {
      this.#dropped += excess;
      this.#text = this.#text.slice(excess);
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#showing = this.#showing.then(() => this.#show(this.text));
      this.#showing.catch(() => {}); // finish() passes the error to the caller
    }, UPDATE_INTERVAL_MS);
  }

  /**
   * Shows nothing afterwards.
   * @throws what showing threw
   */
  async finish(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#showing;
  }
}
