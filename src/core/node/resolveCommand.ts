import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { HostError } from '../base/errors.js';

export interface ResolveOptions {
  /** The environment whose PATH (and PATHEXT on Windows) is searched. */
  readonly env: NodeJS.ProcessEnv;
  /** The base for a command with a folder in it, such as `./agent` or `bin/agent`. Without it, such a command is not found. */
  readonly cwd?: string;
}

/**
 * Finds a command as a shell would, but without executing anything. Skips relative entries of PATH, so that a workspace cannot put a
 * program of its own first.
 * @returns the absolute path of an executable file
 */
export async function resolveCommand(command: string, options: ResolveOptions): Promise<string | undefined> {
  if (command === '' || command.includes('\0')) return undefined;
  const candidates = process.platform === 'win32' ? windowsCandidates(command, options) : posixCandidates(command, options);
  for (const file of candidates) if (await isExecutable(file)) return file;
  return undefined;
}

/** Returns the command so that it starts the same program from every folder: a path such as `./agent` becomes an absolute one. */
export function anywhere(command: string, cwd: string): string {
  return isPath(command) && !path.isAbsolute(command) ? path.resolve(cwd, command) : command;
}

/** The error for a command that `resolveCommand` doesn't find. */
export function commandNotFound(command: string): HostError {
  return new HostError('agent_not_found', { reason: isPath(command) ? 'no_program' : 'not_on_path', command });
}

/** What to start for a command. */
export interface Launch {
  /** Absolute path of a program. */
  readonly file: string;
  /** Precede the caller's own arguments. If the command is a script, `file` is its interpreter and this is the script. */
  readonly args: readonly string[];
  /** Windows: a batch file that is not the shim of a package manager. `file` is then cmd.exe, the only program that can run it. */
  readonly batchFile?: string;
}

/**
 * Like `resolveCommand`, but replaces the shim of a package manager by the program that it starts. A shell only runs for a batch file that
 * is not a shim.
 */
export async function resolveLaunch(command: string, options: ResolveOptions): Promise<Launch | undefined> {
  const file = await resolveCommand(command, options);
  if (file === undefined) return undefined;
  return process.platform === 'win32' && /\.(?:cmd|bat|ps1)$/i.test(file) ? resolveShim(file, options.env) : { file, args: [] };
}

/**
 * Returns the complete call for `spawnProcess`.
 * @throws HostError `spawn_failed` for an argument that cannot be passed to a batch file
 */
export function launchWith(
  { file, args, batchFile }: Launch,
  own: readonly string[],
): { readonly file: string; readonly args: readonly string[]; readonly verbatim: boolean } {
  return batchFile === undefined
    ? { file, args: [...args, ...own], verbatim: false }
    : { file, args: [batchCommandLine(batchFile, own)], verbatim: true };
}

function posixCandidates(command: string, options: ResolveOptions): readonly string[] {
  if (isPath(command)) return pathCandidate(command, options);
  return searchPath(options.env).map((folder) => path.join(folder, command));
}

function windowsCandidates(command: string, options: ResolveOptions): readonly string[] {
  const extensions = (variable(options.env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter((extension) => extension !== '');
  const named = isPath(command) ? pathCandidate(command, options) : searchPath(options.env).map((folder) => path.join(folder, command));
  // Windows does not treat these as executable, but some package managers install nothing else.
  const known = [...extensions, '.ps1'];
  const hasExtension = known.some((extension) => command.toLowerCase().endsWith(extension.toLowerCase()));
  return hasExtension ? named : named.flatMap((file) => known.map((extension) => file + extension.toLowerCase()));
}

/** Whether it names a folder, so that PATH is not searched. */
function isPath(command: string): boolean {
  return (process.platform === 'win32' ? /[\\/]/ : /\//).test(command);
}

function pathCandidate(command: string, { cwd }: ResolveOptions): readonly string[] {
  if (path.isAbsolute(command)) return [path.normalize(command)];
  return cwd === undefined ? [] : [path.resolve(cwd, command)];
}

function searchPath(env: NodeJS.ProcessEnv): readonly string[] {
  return (variable(env, 'PATH') ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
}

/** Names of variables are case-insensitive on Windows, but not in a copy of `process.env`. */
function variable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  if (process.platform !== 'win32') return env[name];
  const key = Object.keys(env).find((candidate) => candidate.toUpperCase() === name);
  return key === undefined ? undefined : env[key];
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    if (!(await stat(file)).isFile()) return false;
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * npm puts a batch file and a PowerShell script in front of every Node program. The shim contains the path of the script that it runs, so
 * that script is started directly. Any other batch file needs cmd.exe; any other PowerShell script is not supported.
 */
async function resolveShim(shim: string, env: NodeJS.ProcessEnv): Promise<Launch | undefined> {
  const program = programOfShim(await readFile(shim, 'utf8'), path.dirname(shim));
  if (program === undefined || !(await isExecutable(program))) return /\.ps1$/i.test(shim) ? undefined : viaCmd(shim, env);
  if (!/\.[cm]?js$/i.test(program)) return { file: program, args: [] };
  const beside = path.join(path.dirname(shim), 'node.exe');
  const node = (await isExecutable(beside)) ? beside : await resolveCommand('node.exe', { env });
  return node === undefined ? undefined : { file: node, args: [program] };
}

function viaCmd(batchFile: string, env: NodeJS.ProcessEnv): Launch {
  return { file: `${variable(env, 'SYSTEMROOT') ?? 'C:\\Windows'}\\System32\\cmd.exe`, args: [], batchFile };
}

/**
 * Returns the program that a shim of npm, pnpm or yarn starts: the last quoted path below `%~dp0`, `%dp0%` or `$basedir` that is not Node
 * itself.
 */
export function programOfShim(text: string, folder: string): string | undefined {
  const targets = [...text.matchAll(/"(?:%(?:~dp0|dp0%)\\?|\$basedir\/)([^"%$]+\.(?:[cm]?js|exe))"/gi)].map((match) => match[1] ?? '');
  const target = targets.filter((candidate) => !/^node\.exe$/i.test(candidate)).at(-1);
  return target === undefined ? undefined : path.resolve(folder, target.replaceAll('\\', path.sep));
}

/**
 * Builds the command line with which cmd.exe runs a batch file. The arguments arrive unchanged, and nothing in them is executed or
 * expanded. Windows can start a batch file in no other way. Pass the line on verbatim, without Node's own quoting.
 *
 * Every argument is in quotes, where cmd.exe treats `&|<>^()` as ordinary characters. A quote in an argument is doubled, so that cmd.exe
 * and the C runtime agree on where the argument ends (only the runtime gives a meaning to a backslash before a quote). Each `%` is preceded
 * by `%%cd:~,%`, which expands to a percent sign and nothing else, so that no variable name can form. With `/v:off`, `!` has no meaning.
 * @throws HostError `spawn_failed` for an argument with a line break or a NUL, which no quoting can pass on
 */
export function batchCommandLine(batchFile: string, args: readonly string[]): string {
  return `/d /e:on /v:off /s /c "${[batchFile, ...args].map(quoteForBatch).join(' ')}"`;
}

export function quoteForBatch(argument: string): string {
  if (/[\0\r\n]/.test(argument)) {
    throw new HostError('spawn_failed', { reason: 'batch_line_break' });
  }
  // Backslashes only have a meaning before a quote; there, each one is doubled.
  const escaped = argument.replaceAll(
    /(\\*)("|$)/g,
    (_, backslashes: string, quote: string) => `${backslashes}${backslashes}${quote}${quote}`,
  );
  return `"${escaped.replaceAll('%', '%%cd:~,%')}"`;
}
