import { resolveCommand } from '../node/resolveCommand.js';
import type { InstalledParts, Installing } from './installAgent.js';
import type { PackageWay } from './registryEntry.js';
import { runPackageTool } from './runPackageTool.js';

const isWindows = process.platform === 'win32';
/** What installs Python packages, the best first. */
const tools = isWindows ? ['uv', 'py', 'python'] : ['uv', 'python3', 'python'];

/** Returns the program that can install Python packages here. */
export async function pythonTool(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const tool of tools) if ((await resolveCommand(tool, { env })) !== undefined) return tool;
  return undefined;
}

/**
 * Installs a package into an environment of its own, with uv if that is there, else with the `venv` and pip of Python.
 * @throws HostError `install_failed`, `cancelled`
 */
export async function installPython({ name, version, program = name }: PackageWay, installing: Installing): Promise<InstalledParts> {
  const { folder, env } = installing;
  const source = `${name}==${version}`;
  const tool = (await pythonTool(env)) ?? 'uv';
  if (tool === 'uv') {
    const folders = { UV_TOOL_DIR: `${folder}/tools`, UV_TOOL_BIN_DIR: `${folder}/bin` };
    await runPackageTool({ tool, toolName: 'uv', args: ['tool', 'install', '--no-progress', source], env: folders }, installing);
    return { source, program: `bin/${program}` };
  }
  const programs = isWindows ? 'venv/Scripts' : 'venv/bin';
  await runPackageTool({ tool, toolName: 'Python', args: ['-m', 'venv', 'venv'] }, installing);
  const pip = ['-m', 'pip', 'install', '--no-input', '--disable-pip-version-check', '--progress-bar', 'off', source];
  await runPackageTool({ tool: `${folder}/${programs}/python`, toolName: 'pip', args: pip }, installing);
  return { source, program: `${programs}/${program}` };
}
