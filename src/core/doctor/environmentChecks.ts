/** Checks the machine around an agent: where the command is, what the shell's environment adds, and which tools exist. Starts no agent. */
import path from 'node:path';
import { HostError, messageOf } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { probeWritable } from '../node/files.js';
import { askLoginShell } from '../node/loginEnv.js';
import { launchWith, resolveCommand, resolveLaunch } from '../node/resolveCommand.js';
import { runProcess } from '../node/spawnProcess.js';
import type { AgentDefinition, ProcessDefinition } from '../agents/agentDefinition.js';
import type { CheckContext } from '../agents/agentKnowledge.js';
import { findKnownAgent, installCommandFor } from '../agents/knownAgents.js';
import type { Finding, ToolFacts } from './finding.js';

const toolMs = 3_000;
const toolOutputBytes = 4_096;
/** The maximum of a start file's output that a finding contains. */
const noiseChars = 200;

export interface AgentCheckContext extends CheckContext {
  readonly agent: AgentDefinition;
}

/** Checks where the command is on this machine, or names the server. The handshake shows whether a server answers. */
export async function checkAgent({ agent, ...context }: AgentCheckContext, shellEnv: NodeJS.ProcessEnv): Promise<Finding> {
  if (!('url' in agent)) return checkCommand(agent, context, shellEnv);
  return { check: 'agent', state: 'ok', code: 'agent_is_server', params: { agent: agent.label, url: agent.url, protocol: agent.protocol } };
}

async function checkCommand(agent: ProcessDefinition, { cwd, env }: CheckContext, shellEnv: NodeJS.ProcessEnv): Promise<Finding> {
  const found = { agent: agent.label, command: agent.command };
  const file = await resolveCommand(agent.command, { env, cwd });
  if (file !== undefined) {
    const launch = await resolveLaunch(agent.command, { env, cwd });
    if (launch === undefined) return { check: 'agent', state: 'problem', code: 'agent_needs_shell', params: { ...found, path: file } };
    const commandLine = [launch.batchFile ?? launch.file, ...launch.args, ...agent.args].join(' ');
    return { check: 'agent', state: 'ok', code: 'agent_found', params: { ...found, commandLine } };
  }
  const inShell = path.isAbsolute(agent.command) ? undefined : await resolveCommand(agent.command, { env: { ...env, ...shellEnv }, cwd });
  if (inShell !== undefined)
    return { check: 'agent', state: 'problem', code: 'agent_in_terminal_only', params: { ...found, path: inShell } };
  const install = findKnownAgent(agent.id)?.install;
  const params = { ...found, ...(install === undefined ? {} : { installCommand: await installCommandFor(install, { env, cwd }) }) };
  return { check: 'agent', state: 'problem', code: 'agent_missing', params };
}

export interface ShellAnswer {
  readonly env: NodeJS.ProcessEnv;
  readonly findings: readonly Finding[];
}

/** Checks what the login shell's environment adds, and whether its start files print anything. */
export async function checkShell(env: NodeJS.ProcessEnv, log: Logger): Promise<ShellAnswer> {
  if (process.platform === 'win32') return { env: {}, findings: [] };
  const shell = await askLoginShell(env, log);
  const name = env['SHELL'] ?? '/bin/sh';
  if (!shell.answered) return { env: {}, findings: [{ check: 'shell', state: 'warning', code: 'shell_silent', params: { shell: name } }] };
  const noise = shell.noise.trim();
  const quiet: Finding = { check: 'shell', state: 'ok', code: 'shell_quiet', params: { shell: name } };
  const noisy: Finding = {
    check: 'shell',
    state: 'warning',
    code: 'shell_noisy',
    params: { shell: name, output: noise.slice(0, noiseChars) },
  };
  return { env: shell.env, findings: [noise === '' ? quiet : noisy, pathFinding(env, shell.env)] };
}

function pathFinding(env: NodeJS.ProcessEnv, shellEnv: NodeJS.ProcessEnv): Finding {
  const here = foldersOf(env);
  const missing = foldersOf(shellEnv).filter((folder) => !here.includes(folder));
  return missing.length === 0
    ? { check: 'path', state: 'ok', code: 'path_complete', params: {} }
    : { check: 'path', state: 'note', code: 'path_incomplete', params: { missing } };
}

function foldersOf(env: NodeJS.ProcessEnv): readonly string[] {
  return (env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
}

const tools = [
  { name: 'Node', commands: ['node'] },
  { name: 'Python', commands: ['python3', 'python'] },
  { name: 'uv', commands: ['uv'] },
] as const;

/** Checks the tools in which agents are written and with which they are installed. A missing tool alone is not a problem. */
export async function checkTools({ cwd, env }: AgentCheckContext): Promise<Finding> {
  const facts = await Promise.all(tools.map(async ({ name, commands }) => ({ name, ...(await findTool(commands, cwd, env)) })));
  return { check: 'tools', state: 'note', code: 'tools', params: { tools: facts } };
}

async function findTool(commands: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Omit<ToolFacts, 'name'>> {
  for (const command of commands) {
    const launch = await resolveLaunch(command, { env, cwd });
    if (launch === undefined) continue;
    try {
      const { stdout } = await runProcess(
        { ...launchWith(launch, ['--version']), cwd, env },
        { timeoutMs: toolMs, outputBytes: toolOutputBytes },
      );
      return { path: launch.file, version: stdout.trim() };
    } catch (error) {
      return { path: launch.file, error: wordsOf(error) };
    }
  }
  return {};
}

/** @param directory the folder of the saved conversations; created if it is missing */
export async function checkStorage(directory: string): Promise<Finding> {
  try {
    await probeWritable(directory);
    return { check: 'storage', state: 'ok', code: 'storage_writable', params: { path: directory } };
  } catch (error) {
    return { check: 'storage', state: 'problem', code: 'storage_not_writable', params: { path: directory, error: wordsOf(error) } };
  }
}

function wordsOf(thrown: unknown): string {
  return (thrown instanceof HostError ? thrown.params.detail : undefined) ?? messageOf(thrown);
}
