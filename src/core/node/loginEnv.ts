import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { Logger } from '../base/logger.js';
import { homeFolder } from './homeFolder.js';
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

/**
 * Variables that the editor sets for its own processes; VS Code removes the same ones from its terminals. What an agent starts with them
 * would run as a part of the editor.
 */
const OF_THE_EDITOR = /^(?:(?:ELECTRON|VSCODE|SNAP|GDK_PIXBUF)_.*|SNAP|CHROME_DESKTOP|ORIGINAL_XDG_CURRENT_DESKTOP)$/;
/** Options of Node with which an editor is debugged. */
const OF_A_DEBUGGER = /bootloader|--inspect/;

let probe: Promise<NodeJS.ProcessEnv> | undefined;

/**
 * Returns the environment that the user's terminal would have, without what belongs to the editor. An editor that was started from a desktop icon has not read the shell's
 * start files, so its PATH lacks programs that are installed for the user only. Asks the login shell in a separate process, once per run of
 * the host, and only if the current PATH looks as if no start file has extended it. Never fails: in case of doubt, it returns the current
 * environment.
 */
export async function loginEnv(env: NodeJS.ProcessEnv, log: Logger): Promise<NodeJS.ProcessEnv> {
  const own = withoutEditor(env);
  if (!looksPoor(own)) return own;
  probe ??= askLoginShell(own, log).then((shell) => shell.env);
  return { ...own, ...(await probe) };
}

/** Returns the environment without the variables of the editor and of its debugger. */
export function withoutEditor(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NODE_OPTIONS, ...rest } = env;
  const own = Object.fromEntries(Object.entries(rest).filter(([name]) => !OF_THE_EDITOR.test(name)));
  // The launcher of VS Code puts the user's own options aside.
  const options = env['VSCODE_NODE_OPTIONS'] ?? NODE_OPTIONS;
  return options === undefined || options === '' || OF_A_DEBUGGER.test(options) ? own : { ...own, NODE_OPTIONS: options };
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
  const { args, call = '', quoted = quote } = ownSyntax[path.basename(shell)] ?? { args: ['-l', '-i', '-c'] };
  const script = `${call}${quoted(process.execPath)} -p ${quoted(`"${sentinel}" + JSON.stringify(process.env) + "${sentinel}"`)}`;
  try {
    const { stdout } = await runProcess(
      {
        file: shell,
        args: [...args, script],
        cwd: homeFolder(),
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

interface ShellSyntax {
  readonly args: readonly string[];
  readonly call?: string;
  readonly quoted?: (text: string) => string;
}

/**
 * The C shells take `-l` only alone. For Nushell, what begins with a quote is a text unless `^` calls it, and nothing stands for an apostrophe
 * between apostrophes.
 */
const ownSyntax: Readonly<Record<string, ShellSyntax>> = {
  csh: { args: ['-i', '-c'] },
  tcsh: { args: ['-i', '-c'] },
  nu: { args: ['-l', '-i', '-c'], call: '^', quoted: (text) => JSON.stringify(text) },
};

/** Quotes for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Removes the variables that describe the shell process itself. */
function ofTheUser(variables: unknown): NodeJS.ProcessEnv {
  const own = new Set(['_', 'SHLVL', 'PWD', 'OLDPWD', 'TERM']);
  const entries = typeof variables === 'object' && variables !== null ? Object.entries(variables) : [];
  return withoutEditor(Object.fromEntries(entries.filter(([name, value]) => !own.has(name) && typeof value === 'string')));
}
