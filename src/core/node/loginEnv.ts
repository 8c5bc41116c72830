import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Logger } from '../base/logger.js';
import { runProcess } from './spawnProcess.js';

/**
 * Folders that are on the PATH of every login shell and of a program that was started from an icon. If the PATH has no others, no start
 * file has extended it.
 */
const SYSTEM_FOLDERS = new Set([
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
  '/usr/games',
  '/usr/local/games',
  '/snap/bin',
]);

const TIMEOUT_MS = 3000;
const OUTPUT_BYTES = 1024 * 1024;

let probe: Promise<NodeJS.ProcessEnv> | undefined;

/**
 * Returns the environment that the user's terminal would have. An editor that was started from a desktop icon has not read the shell's
 * start files, so its PATH lacks programs that are installed for the user only. Asks the login shell in a separate process, once per run of
 * the host, and only if the current PATH looks as if no start file has extended it. Never fails: in case of doubt, it returns the current
 * environment.
 */
export async function loginEnv(env: NodeJS.ProcessEnv, log: Logger): Promise<NodeJS.ProcessEnv> {
  if (!looksPoor(env)) return env;
  probe ??= askLoginShell(env, log).then((shell) => shell.env);
  return { ...env, ...(await probe) };
}

/** @returns whether the PATH contains nothing that a user or a package manager added */
export function looksPoor(env: NodeJS.ProcessEnv): boolean {
  if (process.platform === 'win32') return false;
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  return folders.every((folder) => SYSTEM_FOLDERS.has(folder));
}

export interface LoginShell {
  readonly env: NodeJS.ProcessEnv;
  /** What the start files of the shell print. */
  readonly noise: string;
  /** False if the shell did not print its environment in time. */
  readonly answered: boolean;
}

/** Reads the environment of a login shell. What its start files print remains outside the sentinels. */
export async function askLoginShell(env: NodeJS.ProcessEnv, log: Logger, timeoutMs = TIMEOUT_MS): Promise<LoginShell> {
  const sentinel = randomUUID();
  const shell = env['SHELL'] ?? '/bin/sh';
  // This Node prints the environment: `env -0` is not available everywhere, and without NUL a line break in a value looks like the next
  // variable.
  const script = `${quote(process.execPath)} -p ${quote(`"${sentinel}" + JSON.stringify(process.env) + "${sentinel}"`)}`;
  try {
    const { stdout } = await runProcess(
      {
        file: shell,
        args: ['-l', '-i', '-c', script],
        cwd: homedir(),
        env: { ...env, TERM: 'dumb', ELECTRON_RUN_AS_NODE: '1' },
        ownGroup: true,
      },
      { timeoutMs, outputBytes: OUTPUT_BYTES },
    );
    const [before = '', printed, after = ''] = stdout.split(sentinel);
    if (printed !== undefined) return { env: ofTheUser(JSON.parse(printed)), noise: `${before}${after}`, answered: true };
    log.warn('The login shell did not print its environment; using the current environment', { shell });
  } catch (error) {
    log.warn('Could not read the environment of the login shell; using the current environment', error);
  }
  return { env: {}, noise: '', answered: false };
}

/** Quotes for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Removes the variables that describe the shell process itself. */
function ofTheUser(variables: unknown): NodeJS.ProcessEnv {
  const own = new Set(['_', 'SHLVL', 'PWD', 'OLDPWD', 'TERM', 'ELECTRON_RUN_AS_NODE']);
  const entries = typeof variables === 'object' && variables !== null ? Object.entries(variables) : [];
  return Object.fromEntries(entries.filter(([name, value]) => !own.has(name) && typeof value === 'string'));
}
