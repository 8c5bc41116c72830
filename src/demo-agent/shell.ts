/** Runs a command of the user in the shell, and ends all of its processes. The only place in this program that starts processes. */
import { spawn } from 'node:child_process';

export interface ShellEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface ShellRun {
  /** Absolute. */
  readonly cwd: string;
  /** Aborting ends the command with everything that it started. */
  readonly signal: AbortSignal;
  /** Gets the output of stdout and stderr as it arrives, decoded as UTF-8. */
  onOutput(text: string): void;
}

/**
 * Resolves when the command and its outputs have ended, even after an abort.
 * @throws Error if the shell cannot be started
 */
export function runInShell(command: string, { cwd, signal, onOutput }: ShellRun): Promise<ShellEnd> {
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
