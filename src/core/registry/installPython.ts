import { HostError } from '../base/errors.js';
import { resolveCommand } from '../node/resolveCommand.js';
import type { InstalledParts, Installing } from './installAgent.js';
import type { PackageWay } from './registryEntry.js';
import { type PackageToolRun, runPackageTool } from './runPackageTool.js';

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
