/** Installs an agent of the registry into a folder of ours, and removes it. Starts no agent. */
import { randomBytes, randomUUID } from 'node:crypto';
import path from 'node:path';
import * as z from 'zod/mini';
import { type Disposable, toDisposable } from '../base/disposable.js';
import { HostError, toHostError, systemFacts } from '../base/errors.js';
import { parseJson } from '../base/parseJson.js';
import { downloadFile } from '../node/download.js';
import { isOfSystem, listFolders, makeExecutable, makeFolders, moveFile, realPath, removeFile, removeFolder } from '../node/files.js';
import { underLock } from '../node/privateFiles.js';
import { lifeOf, markOfThisProcess } from '../node/processTree.js';
import { resolveCommand, resolveLaunch } from '../node/resolveCommand.js';
import { runTool } from '../node/runTool.js';
import { createSmallFile, readSmallFile, removeSmallFile, replaceSmallFile } from '../node/smallFiles.js';
import { unpack } from '../node/unpack.js';
import { agentsFolder, currentFile, formatInstalled, type InstalledAgent, readInstalledAgent } from './installedAgents.js';
import type { BinaryWay, InstallWay, PackageWay, RegistryEntry } from './registryEntry.js';

/**
 * Downloads a program, checks that it is the published one, and unpacks it.
 * @throws HostError `install_failed`, `cancelled`
 */
async function installBinary(way: BinaryWay, installing: Installing): Promise<InstalledParts> {
  const { url, kind } = way;
  const { folder, limits, signal, onStep } = installing;
  const download = path.join(folder, 'download');
  const { sha256, bytes } = await downloadFile(url, download, {
    limitBytes: limits.downloadBytes,
    silenceMs: limits.silenceMs,
    signal,
    onProgress: (got, totalBytes) => onStep({ type: 'downloading', bytes: got, totalBytes }),
  });
  await checkHash(way, { sha256, bytes }, installing);
  onStep({ type: 'unpacking' });
  const files = path.join(folder, 'files');
  await makeFolders(files);
  const program = path.posix.join('files', kind === 'raw' ? path.posix.basename(way.program) : way.program);
  if (kind === 'raw') await moveFile(download, path.join(folder, program));
  else await unpack(download, kind, files, { limits: { bytes: limits.unpackedBytes, entries: limits.entries }, signal });
  await removeFile(download);
  await makeExecutable(path.join(folder, program));
  return { program, source: url, sha256 };
}

const agreedSchema = z.record(z.string(), z.string());

/** Without a published hash, the user agrees to the file once; from then on, it has to be the same one. */
async function checkHash(
  { url, sha256: published }: BinaryWay,
  { sha256, bytes }: { readonly sha256: string; readonly bytes: number },
  { stateFolder, consent }: Installing,
): Promise<void> {
  if (published !== undefined) {
    if (published !== sha256) throw new HostError('install_failed', { reason: 'hash_mismatch', url, expected: published, sha256 });
    return;
  }
  const file = path.join(agentsFolder(stateFolder), 'agreed.json');
  const read = (): Readonly<Record<string, string>> => {
    const parsed = agreedSchema.safeParse(parseJson(readSmallFile(file)?.text ?? ''));
    return parsed.success ? parsed.data : {};
  };
  const agreed = read()[url];
  if (agreed === sha256) return;
  if (agreed !== undefined) throw new HostError('install_failed', { reason: 'hash_changed', url, expected: agreed, sha256, path: file });
  if (!(await consent({ type: 'unverified', url, sha256, bytes }))) throw new HostError('cancelled');
  replaceSmallFile(file, JSON.stringify({ ...read(), [url]: sha256 }));
}

const schema = z.object({ pid: z.number(), startedAt: z.optional(z.string()), host: z.string() });

/**
 * Makes sure that one process at a time installs or removes an agent. The lock of a process that died is taken over.
 * @param file that names the process; exists only meanwhile
 * @throws HostError `install_failed`; the system's error
 */
export async function takeInstallLock(file: string): Promise<Disposable> {
  // Two installations of one process are told apart by the ID.
  const own = JSON.stringify({ ...(await markOfThisProcess()), id: randomUUID() });
  if (!createSmallFile(file, own)) {
    const text = readSmallFile(file)?.text ?? '';
    const holder = schema.safeParse(parseJson(text));
    const isTaken = (holder.success && (await lifeOf(holder.data)) !== 'gone') || !takeOver(file, text, own);
    if (isTaken)
      throw new HostError('install_failed', { reason: 'busy', ...(holder.success && { pid: holder.data.pid, host: holder.data.host }) });
  }
  return toDisposable(() => {
    if (readSmallFile(file)?.text === own) removeSmallFile(file);
  });
}

/** Of those that found the same process dead, one succeeds. */
function takeOver(file: string, before: string, own: string): boolean {
  return underLock(`${file}.taking`, () => {
    if ((readSmallFile(file)?.text ?? '') !== before) return false;
    replaceSmallFile(file, own);
    return true;
  });
}

/** What is being done, for the user. */
export type InstallStep =
  /** @param totalBytes undefined if the server does not say */
  | { readonly type: 'downloading'; readonly bytes: number; readonly totalBytes: number | undefined }
  | { readonly type: 'unpacking' }
  /** @param line of the output of the tool */
  | { readonly type: 'running'; readonly tool: string; readonly line?: string };

/** What the user has to agree to in the middle, because only then it is known. */
export type InstallQuestion =
  /** The download has no published hash. Without consent, it is not installed. */
  | { readonly type: 'unverified'; readonly url: string; readonly sha256: string; readonly bytes: number }
  /** Packages want to run programs of theirs now. Without consent, they are installed, and these programs don't run. */
  | { readonly type: 'scripts'; readonly packages: readonly string[] }
  /** A package, or one that it depends on, could not be installed without being built, which runs programs of theirs. */
  | { readonly type: 'builds'; readonly package: string };

export interface InstallOptions {
  /** Absolute. */
  readonly stateFolder: string;
  /** The environment in which package managers are found and run. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly onStep: (step: InstallStep) => void;
  readonly consent: (question: InstallQuestion) => Promise<boolean>;
  readonly limits?: InstallLimits;
}

interface InstallLimits {
  readonly downloadBytes: number;
  readonly unpackedBytes: number;
  readonly entries: number;
  /** How long a server may send nothing. */
  readonly silenceMs: number;
}

const gigabyte = 1024 ** 3;
/** Above the largest agent of the registry: 300 MB packed, 1 GB unpacked. */
export const defaultInstallLimits: InstallLimits = {
  downloadBytes: gigabyte,
  unpackedBytes: 4 * gigabyte,
  entries: 200_000,
  silenceMs: 60_000,
};

/** What the ways to install have in common. */
interface Installing extends InstallOptions {
  readonly registryId: string;
  /** The empty folder of the new version, absolute. */
  readonly folder: string;
  readonly limits: InstallLimits;
}

/** What a way to install leaves in the folder. */
type InstalledParts = Pick<InstalledAgent, 'program' | 'source'> & Partial<Pick<InstalledAgent, 'sha256'>>;

/**
 * Installs this version beside the one that there may be, and makes it the current one. If anything fails, the old one stays as it is. The
 * version before it stays on the disk until the next installation, because agents of it may be running.
 * @param way one of the entry
 * @throws HostError `install_failed`, `cancelled`
 */
export async function installAgent(entry: RegistryEntry, way: InstallWay, options: InstallOptions): Promise<InstalledAgent> {
  const { id, name, version } = entry;
  const { stateFolder, signal } = options;
  const home = path.join(agentsFolder(stateFolder), id);
  return inTurn(stateFolder, id, async () => {
    const before = readInstalledAgent(stateFolder, id);
    // On Windows, a program that runs can't be removed. The next installation tries again.
    await removeOthers(home, before?.folder).catch(() => {});
    const folderName = `${version}-${randomBytes(4).toString('hex')}`;
    const folder = path.join(home, folderName);
    try {
      await makeFolders(folder);
      const parts = await runWay(way, { limits: defaultInstallLimits, ...options, registryId: id, folder });
      const { args, env } = way;
      const agent = { ...parts, registryId: id, name, version, folder: folderName, args, env, installedAt: Date.now() };
      if ((await resolveCommand(path.join(folder, agent.program), { env: options.env })) === undefined)
        throw new HostError('install_failed', { reason: 'no_program', command: agent.program });
      if (signal.aborted) throw new HostError('cancelled');
      replaceSmallFile(currentFile(stateFolder, id), formatInstalled(agent));
      return agent;
    } catch (error) {
      // What can't be removed now is removed before the next installation.
      await removeFolder(folder).catch(() => {});
      throw error;
    }
  });
}

/**
 * Removes the agent with all its versions. Does nothing if it is not installed.
 * @throws HostError `install_failed`
 */
export async function removeAgent(stateFolder: string, registryId: string): Promise<void> {
  await inTurn(stateFolder, registryId, async () => {
    // Comes first: from then on, nobody starts it.
    removeSmallFile(currentFile(stateFolder, registryId));
    await removeOthers(path.join(agentsFolder(stateFolder), registryId), undefined);
  });
}

/** @throws HostError `install_failed`, `cancelled` */
async function inTurn<T>(stateFolder: string, registryId: string, work: () => Promise<T>): Promise<T> {
  try {
    const lock = await takeInstallLock(path.join(agentsFolder(stateFolder), registryId, 'lock.json'));
    try {
      return await work();
    } finally {
      lock.dispose();
    }
  } catch (error) {
    if (isOfSystem(error))
      throw new HostError('install_failed', { reason: 'disk', path: stateFolder, ...systemFacts(error) }, { cause: error });
    throw toHostError(error);
  }
}

async function removeOthers(home: string, kept: string | undefined): Promise<void> {
  for (const folder of await listFolders(home)) if (path.basename(folder) !== kept) await removeFolder(folder);
}

function runWay(way: InstallWay, installing: Installing): Promise<InstalledParts> {
  switch (way.type) {
    case 'npm':
      return installNpm(way, installing);
    case 'python':
      return installPython(way, installing);
    case 'binary':
      return installBinary(way, installing);
  }
}

const isWindows = process.platform === 'win32';
/** What installs Python packages, the best first. */
const tools = isWindows ? ['uv', 'py', 'python'] : ['uv', 'python3', 'python'];

/** Returns the program that can install Python packages here. */
export async function pythonTool(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const tool of tools) if ((await resolveCommand(tool, { env })) !== undefined) return tool;
  return undefined;
}

/**
 * Installs a package into an environment of its own, with uv if that is there, else with the `venv` and pip of Python. Packages are built
 * only with consent.
 * @throws HostError `install_failed`, `cancelled`
 */
async function installPython({ name, version, program = name }: PackageWay, installing: Installing): Promise<InstalledParts> {
  const { folder, env } = installing;
  const source = `${name}==${version}`;
  const tool = (await pythonTool(env)) ?? 'uv';
  if (tool === 'uv') {
    const folders = { UV_TOOL_DIR: `${folder}/tools`, UV_TOOL_BIN_DIR: `${folder}/bin` };
    const args = ['tool', 'install', '--no-progress', source];
    await withoutBuilds({ tool, toolName: 'uv', args, env: folders }, '--no-build', source, installing);
    return { source, program: `bin/${program}` };
  }
  const programs = isWindows ? 'venv/Scripts' : 'venv/bin';
  await runPackageTool({ tool, toolName: 'Python', args: ['-m', 'venv', 'venv'] }, installing);
  const pip = ['-m', 'pip', 'install', '--no-input', '--disable-pip-version-check', '--progress-bar', 'off', source];
  await withoutBuilds({ tool: `${folder}/${programs}/python`, toolName: 'pip', args: pip }, '--only-binary=:all:', source, installing);
  return { source, program: `${programs}/${program}` };
}

/**
 * @param option prevents the tool from building packages
 * @throws HostError like runPackageTool
 */
async function withoutBuilds(run: PackageToolRun, option: string, source: string, installing: Installing): Promise<void> {
  try {
    await runPackageTool({ ...run, args: [...run.args, option] }, installing);
  } catch (error) {
    // The tools don't say in a way to rely on whether this was because of the builds.
    const mayHelp = error instanceof HostError && error.params.reason === 'tool_failed';
    if (!mayHelp || !(await installing.consent({ type: 'builds', package: source }))) throw error;
    await runPackageTool(run, installing);
  }
}

const manifestSchema = z.object({ bin: z.optional(z.union([z.string(), z.record(z.string(), z.string())])) });
const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ version: z.optional(z.string()), hasInstallScript: z.optional(z.boolean()) })),
});
const lockFile = 'package-lock.json';
const alwaysOptions = [
  ...['--no-audit', '--no-fund', '--no-update-notifier', '--no-progress', '--package-lock=true'],
  // Each of the two can be set by the user's own .npmrc.
  ...['--global=false', '--location=project'],
  // A dependency on a repository would be built, with its scripts. Older versions of npm don't know the option, and find no git.
  '--allow-git=none',
];

/**
 * Installs a package with what it depends on, and keeps the lock file. Scripts of packages run only with consent: npm first installs
 * everything without them, and the lock file says who has some.
 * @throws HostError `install_failed`, `cancelled`
 */
async function installNpm({ name, version, program }: PackageWay, installing: Installing): Promise<InstalledParts> {
  const { folder, consent } = installing;
  const source = `${name}@${version}`;
  const npm = (command: string, options: readonly string[], packages: readonly string[]): Promise<void> => {
    const args = [command, ...options, ...alwaysOptions, '--', ...packages];
    return runPackageTool({ tool: 'npm', toolName: 'npm', args, env: { npm_config_git: 'no-git' } }, installing);
  };
  writeManifest(folder, []);
  await npm('install', ['--ignore-scripts', '--save-exact', '--omit=dev'], [source]);
  const scripted = await packagesWithScripts(folder);
  const names = [...new Set(scripted.map((one) => one.name))];
  const mayRun = names.length > 0 && (await consent({ type: 'scripts', packages: scripted.map((one) => `${one.name}@${one.version}`) }));
  if (mayRun) {
    writeManifest(folder, names, { [name]: version });
    await npm('rebuild', ['--ignore-scripts=false', '--foreground-scripts'], names);
  }
  return { source, program: `node_modules/.bin/${program ?? programIn(folder, name)}` };
}

/** @param scripted the packages whose scripts may run: newer versions of npm run no others */
function writeManifest(folder: string, scripted: readonly string[], dependencies: Readonly<Record<string, string>> = {}): void {
  const allowScripts = Object.fromEntries(scripted.map((name) => [name, true]));
  replaceSmallFile(path.join(folder, 'package.json'), JSON.stringify({ private: true, dependencies, allowScripts }, null, 2));
}

/** Like npx: the only program of the package, or the one with its name. */
function programIn(folder: string, name: string): string {
  const file = path.join(folder, 'node_modules', name, 'package.json');
  const manifest = manifestSchema.safeParse(parseJson(readSmallFile(file)?.text ?? ''));
  const bin = manifest.success ? manifest.data.bin : undefined;
  const own = name.replace(/^@[^/]*\//, '');
  const names = typeof bin === 'string' ? [own] : Object.keys(bin ?? {});
  const chosen = names.length === 1 ? names[0] : names.find((one) => one === own);
  if (chosen === undefined || !/^[\w.@+-]+$/.test(chosen)) throw new HostError('install_failed', { reason: 'no_program', command: own });
  return chosen;
}

interface ScriptedPackage {
  readonly name: string;
  readonly version: string;
}

/** Those that are installed: the lock file also has the packages for other systems. */
async function packagesWithScripts(folder: string): Promise<readonly ScriptedPackage[]> {
  const lock = lockSchema.safeParse(parseJson(readSmallFile(path.join(folder, lockFile))?.text ?? ''));
  if (!lock.success) throw new HostError('install_failed', { reason: 'tool_failed', tool: 'npm', detail: lockFile });
  const found: ScriptedPackage[] = [];
  for (const [place, { version = '', hasInstallScript }] of Object.entries(lock.data.packages)) {
    const name = place.split('node_modules/').at(-1) ?? '';
    if (hasInstallScript === true && (await realPath(path.join(folder, place))) !== undefined) found.push({ name, version });
  }
  return found;
}

/** A run of a package manager in the folder of the new version. */
interface PackageToolRun {
  /** A command, or an absolute path. */
  readonly tool: string;
  /** For people. */
  readonly toolName: string;
  readonly args: readonly string[];
  /** Variables to add to the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** @throws HostError `install_failed` if it is not there, or does not end with 0; `cancelled` */
async function runPackageTool({ tool, toolName, args, env }: PackageToolRun, installing: Installing): Promise<void> {
  const { folder, signal, onStep } = installing;
  const whole = { ...installing.env, ...env };
  const launch = await resolveLaunch(tool, { env: whole });
  if (launch === undefined) throw new HostError('install_failed', { reason: 'tool_missing', tool: toolName });
  onStep({ type: 'running', tool: toolName });
  const { exitCode, lastLines } = await runTool({
    launch,
    args,
    cwd: folder,
    env: whole,
    signal,
    onLine: (line) => onStep({ type: 'running', tool: toolName, line }),
  });
  if (exitCode === 0) return;
  throw new HostError('install_failed', { reason: 'tool_failed', tool: toolName, exitCode, detail: lastLines.join('\n').trim() });
}
