/** The command line as a real process. */
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { eventLine, type EventLine } from '../../src/cli/output/eventSchema.js';
import { cliProgram } from './programs.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** A limit that only ends hanging tests. */
const LIMIT_MS = 60_000;

/** For `--command`: an agent of test/agents by its name. */
export function testAgent(name: string): readonly string[] {
  return ['--command', `"${process.execPath}" "${path.join(root, 'test/agents', `${name}.mjs`)}"`];
}

export interface Place {
  /** The folder in which an agent may work. */
  readonly workspace: string;
  /** Without the home, state and agents of the current user. */
  readonly env: NodeJS.ProcessEnv;
  remove(): Promise<void>;
}

/** @param files of the workspace, name → content */
export async function makePlace(files: Readonly<Record<string, string>> = {}): Promise<Place> {
  const folder = await mkdtemp(path.join(tmpdir(), 'acp-host-cli-'));
  const workspace = await mkdtemp(path.join(folder, 'workspace-'));
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(workspace, name), content);
  return {
    workspace,
    env: {
      PATH: '/usr/bin:/bin',
      HOME: folder,
      ACP_HOST_STATE: path.join(folder, 'state'),
      ACP_HOST_DEMO_STATE: path.join(folder, 'demo'),
      ACP_HOST_DEMO_PACE_MS: '1',
      ...(process.env['SystemRoot'] !== undefined && { SystemRoot: process.env['SystemRoot'] }),
      ...(process.env['ACP_HOST_TEST_RUN'] !== undefined && { ACP_HOST_TEST_RUN: process.env['ACP_HOST_TEST_RUN'] }),
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs to the end with an empty stdin, or with the given text. */
export async function runCli(
  place: Place,
  args: readonly string[],
  o: { readonly stdin?: string | Uint8Array; readonly env?: NodeJS.ProcessEnv; readonly program?: readonly string[] } = {},
): Promise<CliResult> {
  const cli = new CliProcess(place, args, o.env, o);
  cli.child.stdin.end(o.stdin ?? '');
  return cli.ended();
}

/** Runs a program in a pseudo-terminal: stdin is typed into it, and stdout gets what it shows. */
const inTerminal = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';

/** The reason why terminal tests cannot run here; undefined if they can. */
export function noTerminal(): string | undefined {
  const found = spawnSync('python3', ['-c', 'import pty'], { stdio: 'ignore' });
  return found.status === 0 ? undefined : 'python3 with its pty module makes the pseudo-terminal, and it is not installed';
}

export class CliProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #ended: Promise<CliResult>;
  #stdout = '';
  #stderr = '';
  readonly #watchers = new Set<() => void>();

  /**
   * @param o.terminal stdin, stdout and stderr are one terminal
   * @param o.columns the width of the terminal, in characters
   * @param o.shell a command of Bash that runs the command line as "$@"
   * @param o.program arguments of Node that run another command line than the bundled one
   */
  constructor(
    place: Place,
    args: readonly string[],
    env: NodeJS.ProcessEnv = {},
    o: { readonly terminal?: boolean; readonly columns?: number; readonly shell?: string; readonly program?: readonly string[] } = {},
  ) {
    const { terminal, columns, shell, program = [cliProgram] } = o;
    const [file = '', ...rest] = [
      ...(terminal ? ['python3', '-c', inTerminal] : []),
      ...(columns === undefined ? [] : ['sh', '-c', `stty cols ${columns} && exec "$@"`, 'sh']),
      ...(shell === undefined ? [] : ['bash', '-c', shell, 'bash']),
      process.execPath,
      ...program,
      ...args,
    ];
    this.child = spawn(file, rest, { cwd: place.workspace, env: { ...place.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
    this.child.stdin.on('error', () => {}); // it may end before it has read everything
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
      this.#wake();
    });
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
      this.#wake();
    });
    this.#ended = new Promise((resolve) => {
      this.child.once('close', (code) => {
        resolve({ code, stdout: this.#stdout, stderr: this.#stderr });
        this.#wake();
      });
    });
  }

  /** The output so far. */
  get stdout(): string {
    return this.#stdout;
  }

  ended(): Promise<CliResult> {
    return this.#within(this.#ended, 'end');
  }

  /** Resolves once the output so far fulfills `holds`. */
  until(what: string, holds: (stdout: string, stderr: string) => boolean): Promise<void> {
    return this.#within(
      new Promise((resolve) => {
        const look = (): void => {
          if (!holds(this.#stdout, this.#stderr)) return;
          this.#watchers.delete(look);
          resolve();
        };
        this.#watchers.add(look);
        look();
      }),
      what,
    );
  }

  /** Resolves with the first event that fits, including those that were printed earlier. */
  async event(what: string, wanted: (line: EventLine) => boolean): Promise<EventLine> {
    const find = (): EventLine | undefined => wholeLines(this.#stdout).find(wanted);
    await this.until(what, () => find() !== undefined);
    const found = find();
    if (!found) throw new Error('Unreachable: it was just there');
    return found;
  }

  writeLine(value: unknown): void {
    this.child.stdin.write(`${JSON.stringify(value)}\n`);
  }

  #wake(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  async #within<T>(promise: Promise<T>, what: string): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.child.kill('SIGKILL');
        reject(new Error(`No ${what} in time.\nstdout: ${this.#stdout}\nstderr: ${this.#stderr}`));
      }, LIMIT_MS);
    });
    try {
      return await Promise.race([promise, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Every line parsed by the schema. @throws for a line that the schema does not know */
export function eventsOf(stdout: string): readonly EventLine[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => eventLine.parse(JSON.parse(line)));
}

function wholeLines(stdout: string): readonly EventLine[] {
  return eventsOf(stdout.slice(0, stdout.lastIndexOf('\n') + 1));
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
