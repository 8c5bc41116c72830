import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { batchCommandLine } from './batchCommand.js';

export interface ResolveOptions {
  /** Its PATH is searched (and PATHEXT on Windows). */
  readonly env: NodeJS.ProcessEnv;
  /** What a command with a folder in it (`./agent`, `bin/agent`) is relative to; without it such a command resolves to nothing. */
  readonly cwd?: string;
}

/**
 * Finds a command the way a shell would, but in code: nothing is executed to find it. Relative entries of PATH are skipped, so a workspace
 * cannot put itself in front of a program.
 * @returns the absolute path of an executable file
 */
export async function resolveCommand(command: string, options: ResolveOptions): Promise<string | undefined> {
  if (command === '' || command.includes('\0')) return undefined;
  const candidates = process.platform === 'win32' ? windowsCandidates(command, options) : posixCandidates(command, options);
  for (const file of candidates) if (await isExecutable(file)) return file;
  return undefined;
}

/** What to spawn for a command. */
export interface Launch {
  /** Absolute path of a program. */
  readonly file: string;
  /** To go before the caller's own arguments: where a script stands for the command, `file` is its interpreter and the script is here. */
  readonly args: readonly string[];
  /** Windows: a batch file that is none of a package manager's shims; `file` is then cmd.exe, which alone can run it. */
  readonly batchFile?: string;
}

/** As `resolveCommand`, with a shim of a package manager replaced by what it starts. No shell runs, but for a batch file that is no shim. */
export async function resolveLaunch(command: string, options: ResolveOptions): Promise<Launch | undefined> {
  const file = await resolveCommand(command, options);
  if (file === undefined) return undefined;
  return process.platform === 'win32' && /\.(?:cmd|bat|ps1)$/i.test(file) ? resolveShim(file, options.env) : { file, args: [] };
}

/** The whole call, for `spawnProcess`. @throws HostError `spawn_failed` for an argument that a batch file cannot be given */
export function launchWith(
  { file, args, batchFile }: Launch,
  own: readonly string[],
): { readonly file: string; readonly args: readonly string[]; readonly verbatim: boolean } {
  return batchFile === undefined
    ? { file, args: [...args, ...own], verbatim: false }
    : { file, args: [batchCommandLine(batchFile, own)], verbatim: true };
}

function posixCandidates(command: string, options: ResolveOptions): readonly string[] {
  if (command.includes('/')) return pathCandidate(command, options);
  return searchPath(options.env).map((folder) => path.join(folder, command));
}

function windowsCandidates(command: string, options: ResolveOptions): readonly string[] {
  const extensions = (variable(options.env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter((extension) => extension !== '');
  const named = /[\\/]/.test(command)
    ? pathCandidate(command, options)
    : searchPath(options.env).map((folder) => path.join(folder, command));
  // Not executable by name, but some package managers write nothing else.
  const known = [...extensions, '.ps1'];
  const hasExtension = known.some((extension) => command.toLowerCase().endsWith(extension.toLowerCase()));
  return hasExtension ? named : named.flatMap((file) => known.map((extension) => file + extension.toLowerCase()));
}

function pathCandidate(command: string, { cwd }: ResolveOptions): readonly string[] {
  if (path.isAbsolute(command)) return [path.normalize(command)];
  return cwd === undefined ? [] : [path.resolve(cwd, command)];
}

function searchPath(env: NodeJS.ProcessEnv): readonly string[] {
  return (variable(env, 'PATH') ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
}

/** Variables have no case on Windows, but a copy of `process.env` has. */
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
 * npm puts a batch file and a PowerShell script in front of every Node program. The script that it starts is written in it, so that is what is
 * started. Any other batch file needs cmd.exe; any other PowerShell script resolves to nothing.
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

/** The program that a shim written by npm, pnpm or yarn starts: the last quoted path under `%~dp0`, `%dp0%` or `$basedir` that is not Node itself. */
export function programOfShim(text: string, folder: string): string | undefined {
  const targets = [...text.matchAll(/"(?:%(?:~dp0|dp0%)\\?|\$basedir\/)([^"%$]+\.(?:[cm]?js|exe))"/gi)].map((match) => match[1] ?? '');
  const target = targets.filter((candidate) => !/^node\.exe$/i.test(candidate)).at(-1);
  return target === undefined ? undefined : path.resolve(folder, target.replaceAll('\\', path.sep));
}
