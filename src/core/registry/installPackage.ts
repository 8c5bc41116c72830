import path from 'node:path';
import * as z from 'zod/mini';
import { HostError } from '../base/errors.js';
import { realPath } from '../node/files.js';
import type { InstalledParts, Installing } from './installAgent.js';
import { parseJson } from '../base/parseJson.js';
import type { PackageWay } from './registryEntry.js';
import { resolveCommand, resolveLaunch } from '../node/resolveCommand.js';
import { runTool } from '../node/runTool.js';
import { readSmallFile, replaceSmallFile } from '../node/smallFiles.js';

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
export async function installPython({ name, version, program = name }: PackageWay, installing: Installing): Promise<InstalledParts> {
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
export async function installNpm({ name, version, program }: PackageWay, installing: Installing): Promise<InstalledParts> {
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
