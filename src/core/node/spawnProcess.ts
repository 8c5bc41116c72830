/** The one place that starts processes. Never through a shell of ours: an argument is an argument, whatever it holds (batch files: batchCommand.ts). */
import { type ChildProcess as ChildProcessOfNode, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { HostError } from '../base/errors.js';

export type ChildProcess = ChildProcessWithoutNullStreams;

export interface SpawnOptions {
  /** Absolute path of a program. */
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute, existing. */
  readonly cwd: string;
  /** The whole environment; nothing is inherited beside it. */
  readonly env: NodeJS.ProcessEnv;
  /** POSIX: leads a process group (and session) of its own, so that the group can be signalled as a whole and a Ctrl+C in our terminal does not reach it. */
  readonly ownGroup?: boolean;
  /** Windows: `args` are the command line as it is to be, quoted already. */
  readonly verbatim?: boolean;
}

/** Resolves when the process runs. @throws HostError `agent_not_found`, `spawn_failed` */
export function spawnProcess(options: SpawnOptions): Promise<ChildProcess> {
  const { file, args, cwd, env } = options;
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(toSpawnError(error, file, cwd));
    try {
      const detached = options.ownGroup === true && process.platform !== 'win32';
      const child = spawn(file, args, {
        cwd,
        env,
        detached,
        shell: false,
        windowsHide: true,
        windowsVerbatimArguments: options.verbatim === true,
        stdio: 'pipe',
      });
      child.once('error', fail);
      child.once('spawn', () => {
        child.off('error', fail);
        // A signal that could not be sent is reported as an error too; who signals looks at the exit instead.
        child.on('error', () => {});
        resolve(child);
      });
    } catch (error) {
      // Arguments with a NUL character, for one, are refused before there is a process.
      fail(error instanceof Error ? error : new Error(String(error)));
    }
  });
}

/** Runs a program with this process's own stdin, stdout and stderr, and so in its terminal. @returns its exit code; null where a signal ended it @throws HostError as spawnProcess */
export function runInTerminal({ file, args, cwd, env, verbatim }: Omit<SpawnOptions, 'ownGroup'>): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env, shell: false, windowsVerbatimArguments: verbatim === true, stdio: 'inherit' });
    child.once('error', (error) => reject(toSpawnError(error, file, cwd)));
    child.once('exit', (code) => resolve(code));
  });
}

function toSpawnError(error: NodeJS.ErrnoException, file: string, cwd: string): HostError {
  const facts = { file, cwd, ...(error.code === undefined ? {} : { systemCode: error.code }) };
  return error.code === 'ENOENT'
    ? new HostError('agent_not_found', { reason: 'file_missing', ...facts }, { cause: error })
    : new HostError('spawn_failed', { reason: 'refused', ...facts, detail: error.message }, { cause: error });
}

/** A program of ours that may outlive us and does not keep us alive. It prints nothing. */
export interface Companion {
  /** Writes to its stdin. What cannot be written is lost. */
  tell(text: string): void;
  /** Closes its stdin. No other process holds this end, so the system does it when we end, however that happens. */
  end(): void;
  /** Resolves when it ended, or could not be started, with how, in words. Never rejects. */
  readonly ended: Promise<string>;
}

/** Leads a session of its own, so that a Ctrl+C in our terminal, which ends us, does not reach it. */
export function spawnCompanion({ file, args, cwd, env }: Omit<SpawnOptions, 'ownGroup' | 'verbatim'>): Companion {
  const child: ChildProcessOfNode = spawn(file, args, {
    cwd,
    env,
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
  // Absent where there was no descriptor left for it.
  const input = child.stdin;
  if (input instanceof Socket) input.unref();
  input?.on('error', () => {});
  return { tell: (text) => void input?.write(text), end: () => void input?.end(), ended };
}

export interface ProcessResult {
  /** `null` when a signal or the time limit ended it. */
  readonly code: number | null;
  readonly stdout: string;
}

/**
 * Runs a small program of the system to its end and keeps what it printed. stdin is empty, stderr is thrown away.
 * @param limits.outputBytes what is printed beyond it is dropped
 * @throws HostError as spawnProcess
 */
export async function runProcess(
  options: SpawnOptions,
  limits: { readonly timeoutMs: number; readonly outputBytes: number },
): Promise<ProcessResult> {
  const child = await spawnProcess(options);
  child.stdin.on('error', () => {});
  child.stdin.end();
  child.stderr.resume();
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    if (bytes < limits.outputBytes) chunks.push(chunk.subarray(0, limits.outputBytes - bytes));
    bytes += chunk.length;
  });
  return new Promise((resolve) => {
    const finish = (code: number | null): void => {
      clearTimeout(timer);
      resolve({ code, stdout: Buffer.concat(chunks).toString('utf8') });
    };
    const timer = setTimeout(() => {
      killNow(child, options.ownGroup === true);
      child.stdout.destroy();
      finish(null);
    }, limits.timeoutMs);
    child.once('close', finish);
  });
}

function killNow(child: ChildProcess, withGroup: boolean): void {
  try {
    if (withGroup && process.platform !== 'win32' && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is gone, and so is the child.
  }
  child.kill('SIGKILL');
}
