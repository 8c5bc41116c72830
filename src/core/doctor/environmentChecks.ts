/** The machine around an agent: where it lies, what the shell would give it, which tools it may want. Starts no agent. */
import path from 'node:path';
import { toHostError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { probeWritable } from '../node/files.js';
import { askLoginShell } from '../node/loginEnv.js';
import { launchWith, resolveCommand, resolveLaunch } from '../node/resolveCommand.js';
import { runProcess } from '../node/spawnProcess.js';
import type { AgentDefinition } from '../agents/agentDefinition.js';
import type { AgentSurroundings } from '../agents/agentKnowledge.js';
import { findKnownAgent } from '../agents/knownAgents.js';
import type { Finding } from './finding.js';

const toolMs = 3_000;
const toolOutputBytes = 4_096;
/** Of what a start file prints. */
const noiseChars = 200;

export interface Place extends AgentSurroundings {
  readonly agent: AgentDefinition;
}

export async function checkAgent({ agent, cwd, env }: Place, shellEnv: NodeJS.ProcessEnv): Promise<Finding> {
  const file = await resolveCommand(agent.command, { env, cwd });
  if (file !== undefined) {
    const launch = await resolveLaunch(agent.command, { env, cwd });
    if (launch !== undefined)
      return {
        check: 'agent',
        state: 'ok',
        title: `${agent.label}: \`${agent.command}\` was found`,
        detail: [launch.batchFile ?? launch.file, ...launch.args, ...agent.args].join(' '),
      };
    return {
      check: 'agent',
      state: 'problem',
      title: `${agent.label}: \`${agent.command}\` is a script that cannot be started without a shell`,
      detail: file,
      advice: 'Name the program that it starts as the command of the agent.',
    };
  }
  const inShell = path.isAbsolute(agent.command) ? undefined : await resolveCommand(agent.command, { env: { ...env, ...shellEnv }, cwd });
  const title = `${agent.label}: \`${agent.command}\` was not found`;
  if (inShell !== undefined)
    return {
      check: 'agent',
      state: 'problem',
      title,
      detail: `Your terminal would find ${inShell}`,
      advice: 'Give this whole path as the command of the agent, or start the editor from that terminal.',
    };
  const install = findKnownAgent(agent.id)?.install;
  return {
    check: 'agent',
    state: 'problem',
    title,
    advice:
      install === undefined
        ? 'Install it, or correct its command.'
        : `Install it with \`${install.command}\`, or set the path where it lies.`,
  };
}

export interface ShellAnswer {
  readonly env: NodeJS.ProcessEnv;
  readonly findings: readonly Finding[];
}

/** What the login shell would give, and whether its start files talk. */
export async function checkShell(env: NodeJS.ProcessEnv, log: Logger): Promise<ShellAnswer> {
  if (process.platform === 'win32') return { env: {}, findings: [] };
  const shell = await askLoginShell(env, log);
  const name = env['SHELL'] ?? '/bin/sh';
  if (!shell.answered) {
    return {
      env: {},
      findings: [
        {
          check: 'shell',
          state: 'warning',
          title: `The login shell (${name}) did not tell its environment in time`,
          advice:
            'Its start files may wait for something. Programs that only they put on PATH are not found when the editor is started from an icon.',
        },
      ],
    };
  }
  const noise = shell.noise.trim();
  const quiet: Finding = { check: 'shell', state: 'ok', title: `The login shell (${name}) starts without a word` };
  const noisy: Finding = {
    check: 'shell',
    state: 'warning',
    title: `The start files of ${name} print something`,
    detail: noise.slice(0, noiseChars),
    advice:
      'An agent that is started by a script through this shell would send these lines as messages. Print only where the shell is interactive: [[ $- == *i* ]] && …',
  };
  return { env: shell.env, findings: [noise === '' ? quiet : noisy, pathFinding(env, shell.env)] };
}

function pathFinding(env: NodeJS.ProcessEnv, shellEnv: NodeJS.ProcessEnv): Finding {
  const here = foldersOf(env);
  const missing = foldersOf(shellEnv).filter((folder) => !here.includes(folder));
  if (missing.length === 0) return { check: 'path', state: 'ok', title: 'PATH holds every folder that a terminal has' };
  return {
    check: 'path',
    state: 'note',
    title: `PATH lacks ${missing.length === 1 ? 'a folder' : `${missing.length} folders`} that a terminal has`,
    detail: missing.join('\n'),
  };
}

function foldersOf(env: NodeJS.ProcessEnv): readonly string[] {
  return (env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
}

const tools = [
  { name: 'Node', commands: ['node'] },
  { name: 'Python', commands: ['python3', 'python'] },
  { name: 'uv', commands: ['uv'] },
] as const;

/** What agents are written in and installed with. That one is missing is no problem by itself. */
export async function checkTools({ cwd, env }: Place): Promise<Finding> {
  const lines = await Promise.all(tools.map(async ({ name, commands }) => `${name}: ${await versionOf(commands, cwd, env)}`));
  return { check: 'tools', state: 'note', title: 'Tools that agents are installed with', detail: lines.join('\n') };
}

async function versionOf(commands: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  for (const command of commands) {
    const launch = await resolveLaunch(command, { env, cwd });
    if (launch === undefined) continue;
    try {
      const { stdout } = await runProcess(
        { ...launchWith(launch, ['--version']), cwd, env },
        { timeoutMs: toolMs, outputBytes: toolOutputBytes },
      );
      return `${stdout.trim() || 'says no version'} (${launch.file})`;
    } catch (error) {
      return `${launch.file} cannot be started: ${toHostError(error).message}`;
    }
  }
  return 'not found';
}

/** @param directory of the kept conversations; made when missing */
export async function checkStorage(directory: string): Promise<Finding> {
  try {
    await probeWritable(directory);
    return { check: 'storage', state: 'ok', title: 'Conversations can be kept', detail: directory };
  } catch (error) {
    return {
      check: 'storage',
      state: 'problem',
      title: 'Conversations cannot be kept',
      detail: `${directory}\n${toHostError(error).message}`,
      advice: 'Make room on the disk, or make the folder writable.',
    };
  }
}
