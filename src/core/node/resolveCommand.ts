import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

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

/** What to spawn for a command, without a shell. */
export interface Launch {
  /** Absolute path of a program. */
  readonly file: string;
  /** To go before the caller's own arguments: where a script stands for the command, `file` is its interpreter and the script is here. */
  readonly args: readonly string[];
}

/** As `resolveCommand`, with a batch file of npm replaced by what it starts. */
export async function resolveLaunch(command: string, options: ResolveOptions): Promise<Launch | undefined> {
  const file = await resolveCommand(command, options);
  if (file === undefined) return undefined;
  return process.platform === 'win32' && /\.(?:cmd|bat)$/i.test(file) ? resolveShim(file, options.env) : { file, args: [] };
}

function posixCandidates(command: string, options: ResolveOptions): readonly string[] {
  if (command.includes('/')) return pathCandidate(command, options);
  return searchPath(options.env).map((folder) => path.join(folder, command));
}

function windowsCandidates(command: string, options: ResolveOptions): readonly string[] {
  const extensions = (variable(options.env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter((extension) => extension !== '');
  const named = /[\\/]/.test(command) ? pathCandidate(command, options) : searchPath(options.env).map((folder) => path.join(folder, command));
  const hasExtension = extensions.some((extension) => command.toLowerCase().endsWith(extension.toLowerCase()));
  return hasExtension ? named : named.flatMap((file) => extensions.map((extension) => file + extension.toLowerCase()));
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
 * npm puts a batch file in front of every Node program, and a batch file runs in cmd.exe only, whose quoting is no one's friend. The script
 * that it starts is written in it, so that is what is started. Any other batch file has no argv form and resolves to nothing.
 */
async function resolveShim(shim: string, env: NodeJS.ProcessEnv): Promise<Launch | undefined> {
  const program = programOfShim(await readFile(shim, 'utf8'), path.dirname(shim));
  if (program === undefined || !(await isExecutable(program))) return undefined;
  if (!/\.[cm]?js$/i.test(program)) return { file: program, args: [] };
  const beside = path.join(path.dirname(shim), 'node.exe');
  const node = (await isExecutable(beside)) ? beside : await resolveCommand('node.exe', { env });
  return node === undefined ? undefined : { file: node, args: [program] };
}

/** The program that a shim written by npm, pnpm or yarn starts: the last quoted path under `%~dp0` or `%dp0%` that is not Node itself. */
export function programOfShim(text: string, folder: string): string | undefined {
  const targets = [...text.matchAll(/"%(?:~dp0|dp0%)\\?([^"%]+\.(?:[cm]?js|exe))"/gi)].map((match) => match[1] ?? '');
  const target = targets.filter((candidate) => !/^node\.exe$/i.test(candidate)).at(-1);
  return target === undefined ? undefined : path.resolve(folder, target.replaceAll('\\', path.sep));
}
