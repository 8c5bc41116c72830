/**
 * The only place that starts processes. It never uses a shell, so an argument arrives as it is, whatever it contains (for batch files, see
 * resolveCommand.ts).
 */
import { closeSync, existsSync, openSync, readSync, realpathSync } from 'node:fs';
import { type ChildProcess as ChildProcessOfNode, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { resolve } from 'node:path';
import { HostError } from '../base/errors.js';

export type ChildProcess = ChildProcessWithoutNullStreams;

/** How a process ended. `requested` means that the host ended it. */
export interface ExitInfo {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly requested: boolean;
}

export interface SpawnOptions {
  /** Absolute path of a program. */
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute, must exist. */
  readonly cwd: string;
  /** The whole environment; nothing else is inherited. `PWD` is set to the process's own folder. */
  readonly env: NodeJS.ProcessEnv;
  /**
   * POSIX: the process leads its own process group and session, so that the whole group can be signaled, and Ctrl+C in our terminal does
   * not reach it.
   */
  readonly ownGroup?: boolean;
  /** Windows: it doesn't end with this process. Elsewhere, no process does. */
  readonly outlivesUs?: boolean;
  /** Windows: `args` are the finished command line, already quoted. */
  readonly verbatim?: boolean;
}

/**
 * Some agents believe `PWD` more than the folder in which they run, and what this process inherited names another one. In a folder that
 * is reached over a link, it is the real path, which is what the process itself sees. OLDPWD would be a folder where it never was.
 */
function environmentIn(cwd: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { PWD: _pwd, OLDPWD: _oldPwd, ...rest } = env;
  if (process.platform === 'win32') return rest;
  try {
    return { ...rest, PWD: realpathSync(cwd) };
  } catch {
    // There is no such folder, and the start will fail.
    return rest;
  }
}

/**
 * Resolves when the process runs.
 * @throws HostError `agent_not_found`, `spawn_failed`
 */
export function spawnProcess(options: SpawnOptions): Promise<ChildProcess> {
  const { file, args, cwd, env } = options;
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(toSpawnError(error, file, cwd));
    try {
      const detached = process.platform === 'win32' ? options.outlivesUs === true : options.ownGroup === true;
      const child = spawn(file, args, {
        cwd,
        env: environmentIn(cwd, env),
        detached,
        shell: false,
        windowsHide: true,
        windowsVerbatimArguments: options.verbatim === true,
        stdio: 'pipe',
      });
      child.once('error', fail);
      child.once('spawn', () => {
        child.off('error', fail);
        // A signal that could not be sent is also reported as an error. Callers of `kill` watch the exit instead.
        child.on('error', () => {});
        resolve(child);
      });
    } catch (error) {
      // For example, Node rejects arguments with a NUL character before there is a process.
      fail(error instanceof Error ? error : new Error(String(error)));
    }
  });
}

export interface TerminalProcess {
  readonly pid: number;
  /** Resolves with its exit code; null if a signal ended it. */
  readonly exited: Promise<number | null>;
}

/**
 * Starts a program with this process's own stdin, stdout and stderr, and thus in its terminal.
 * @throws HostError like spawnProcess
 */
export function spawnInTerminal({ file, args, cwd, env, verbatim }: Omit<SpawnOptions, 'ownGroup'>): Promise<TerminalProcess> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd,
      env: environmentIn(cwd, env),
      shell: false,
      windowsVerbatimArguments: verbatim === true,
      stdio: 'inherit',
    });
    const exited = new Promise<number | null>((settle) => child.once('exit', settle));
    child.once('error', (error) => reject(toSpawnError(error, file, cwd)));
    child.once('spawn', () => child.pid !== undefined && resolve({ pid: child.pid, exited }));
  });
}

function toSpawnError(error: NodeJS.ErrnoException, file: string, cwd: string): HostError {
  const facts = { file, cwd, ...(error.code === undefined ? {} : { systemCode: error.code }) };
  // The system reports a missing folder as if the program were missing.
  if (error.code === 'ENOENT' && !existsSync(cwd))
    return new HostError('spawn_failed', { reason: 'folder_missing', ...facts }, { cause: error });
  const interpreter = error.code === 'ENOENT' ? missingInterpreter(file, cwd) : undefined;
  if (interpreter !== undefined)
    return new HostError('spawn_failed', { reason: 'no_interpreter', ...facts, interpreter }, { cause: error });
  return error.code === 'ENOENT'
    ? new HostError('agent_not_found', { reason: 'file_missing', ...facts }, { cause: error })
    : new HostError('spawn_failed', { reason: 'refused', ...facts, detail: error.message }, { cause: error });
}

/** One of our own programs that may outlive this process and does not keep it alive. It prints nothing. */
export interface Companion {
  /** Writes to its stdin. Text that cannot be written is lost. */
  tell(text: string): void;
  /** Closes its stdin. No other process has this end of the pipe, so the system closes it when this process ends, however that happens. */
  end(): void;
  /** Resolves with a description of how it ended, or why it could not be started. Never rejects. */
  readonly ended: Promise<string>;
}

/** The program leads its own session, so that a Ctrl+C that ends this process does not reach it. */
export function spawnCompanion({ file, args, cwd, env }: Omit<SpawnOptions, 'ownGroup' | 'verbatim'>): Companion {
  const child: ChildProcessOfNode = spawn(file, args, {
    cwd,
    env: environmentIn(cwd, env),
    detached: process.platform !== 'win32',
    shell: false,
    windowsHide: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  child.unref();
  // Undefined if no file descriptor was available.
  const input = child.stdin;
  if (input instanceof Socket) input.unref();
  input?.on('error', () => {});
  return { tell: (text) => void input?.write(text), end: () => void input?.end(), ended };
}

export interface ProcessResult {
  /** `null` if a signal or the time limit ended it. */
  readonly code: number | null;
  readonly stdout: string;
}

export interface ProcessLimits {
  readonly timeoutMs: number;
  /** Further output is dropped. */
  readonly outputBytes: number;
}

/** How much of the stderr of a filter is returned. */
const filterStderrBytes = 4_000;

/**
 * Runs a small program to its end and returns what it printed. Its stdin is empty; its stderr is discarded.
 * @throws HostError like spawnProcess
 */
export async function runProcess(options: SpawnOptions, limits: ProcessLimits): Promise<ProcessResult> {
  const { code, stdout } = await runFilter(options, '', limits);
  return { code, stdout: stdout.toString('utf8') };
}

/** What a program made of its input, as it printed it; `stderr` is cut. */
export interface FilterResult {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly isCut: boolean;
  readonly stderr: string;
}

/** What a program gets on its stdin: a promise for what is not known yet when it starts, which never rejects. */
export type FilterInput = string | Buffer | Promise<string | Buffer>;

/**
 * Runs a small program to its end, with this text on its stdin.
 * @throws HostError like spawnProcess
 */
export async function runFilter(options: SpawnOptions, input: FilterInput, limits: ProcessLimits): Promise<FilterResult> {
  const child = await spawnProcess(options);
  // A program may end before it has read everything.
  child.stdin.on('error', () => {});
  void Promise.resolve(input).then((text) => child.stdin.end(text));
  const stdout = collect(child.stdout, limits.outputBytes);
  const stderr = collect(child.stderr, filterStderrBytes);
  return new Promise((resolve) => {
    const finish = (code: number | null): void => {
      clearTimeout(timer);
      resolve({ code, stdout: stdout.read(), isCut: stdout.isCut(), stderr: stderr.read().toString('utf8') });
    };
    const timer = setTimeout(() => {
      killNow(child, options.ownGroup === true);
      child.stdout.destroy();
      finish(null);
    }, limits.timeoutMs);
    child.once('close', finish);
  });
}

function collect(stream: NodeJS.ReadableStream, limitBytes: number): { read(): Buffer; isCut(): boolean } {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    if (bytes < limitBytes) chunks.push(chunk.subarray(0, limitBytes - bytes));
    bytes += chunk.length;
  });
  return { read: () => Buffer.concat(chunks), isCut: () => bytes > limitBytes };
}

function killNow(child: ChildProcess, withGroup: boolean): void {
  try {
    if (withGroup && process.platform !== 'win32' && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group no longer exists, and neither does the child.
  }
  child.kill('SIGKILL');
}

/** Linux reads no more of the first line. */
const firstLineBytes = 256;
/** Interpreters may be scripts; the system gives up sooner. */
const maxScripts = 5;

/**
 * The system reports a script whose interpreter doesn't exist as if the script itself were missing.
 * @param file absolute
 * @param cwd the folder in which the script was to run
 * @returns the missing interpreter as the script names it; undefined if the file is missing, is no script, or has its interpreter
 */
function missingInterpreter(file: string, cwd: string): string | undefined {
  let script = file;
  for (let scripts = 0; scripts < maxScripts; scripts++) {
    const interpreter = interpreterOf(script);
    if (interpreter === undefined) return undefined;
    script = resolve(cwd, interpreter);
    if (!existsSync(script)) return interpreter;
  }
  return undefined;
}

function interpreterOf(file: string): string | undefined {
  try {
    const handle = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(firstLineBytes);
      const start = bytes.toString('utf8', 0, readSync(handle, bytes, 0, firstLineBytes, 0));
      // A carriage return belongs to the name.
      return /^#![ \t]*([^ \t\n\0]+)/.exec(start)?.[1];
    } finally {
      closeSync(handle);
    }
  } catch {
    // What can't be read can't be explained.
    return undefined;
  }
}
