/** Checks everything that an agent needs to work on this machine, and reports each result by a code. */
import path from 'node:path';
import { type AgentDefinition, environmentFor, type ProcessDefinition } from '../agents/agentDefinition.js';
import type { CheckContext } from '../agents/agentKnowledge.js';
import { exampleCommandLine, findKnownAgent, installCommandFor } from '../agents/knownAgents.js';
import type { AgentInfo, AuthMethod } from '../backends/agentBackend.js';
import { systemClock } from '../base/clock.js';
import { toHostError } from '../base/errors.js';
import { type Logger, nullLogger } from '../base/logger.js';
import type { EngineSummary } from '../engine/contract.js';
import { type AgentHost, createAgentHost } from '../host/agentHost.js';
import type { AgentHostOptions } from '../host/api.js';
import { probeWritable } from '../node/files.js';
import { askLoginShell } from '../node/loginEnv.js';
import { launchWith, resolveCommand, resolveLaunch } from '../node/resolveCommand.js';
import { runProcess } from '../node/spawnProcess.js';
import type { Finding, ToolFacts } from './finding.js';

const toolMs = 3_000;
const toolOutputBytes = 4_096;
/** The maximum of a start file's output that a finding contains. */
const noiseChars = 200;

interface AgentCheckContext extends CheckContext {
  readonly agent: AgentDefinition;
}

/** Checks where the command is on this machine, or names the server. The handshake shows whether a server answers. */
async function checkAgent({ agent, ...context }: AgentCheckContext, shellEnv: NodeJS.ProcessEnv): Promise<Finding> {
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

interface ShellAnswer {
  readonly env: NodeJS.ProcessEnv;
  readonly findings: readonly Finding[];
}

/** Checks what the login shell's environment adds, and whether its start files print anything. */
async function checkShell(env: NodeJS.ProcessEnv, log: Logger): Promise<ShellAnswer> {
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
async function checkTools({ cwd, env }: AgentCheckContext): Promise<Finding> {
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
      return { path: launch.file, error: toHostError(error).toData() };
    }
  }
  return {};
}

/** @param directory the folder of the saved conversations; created if it is missing */
async function checkStorage(directory: string): Promise<Finding> {
  try {
    await probeWritable(directory);
    return { check: 'storage', state: 'ok', code: 'storage_writable', params: { path: directory } };
  } catch (error) {
    return {
      check: 'storage',
      state: 'problem',
      code: 'storage_not_writable',
      params: { path: directory, error: toHostError(error, 'storage_failed').toData() },
    };
  }
}

/** What diagnostics examine. */
export interface Examination {
  /** The options with which the agent would be started; `restart` is ignored. */
  readonly host: AgentHostOptions;
  /** Absolute: the folder of the saved conversations. */
  readonly storageDirectory: string;
  /** Whether the workspace is trusted; absent if the front end has no such concept. Without trust, the agent is not started. */
  readonly trusted?: boolean;
  /** Returns the engine of the state folder; undefined if none runs. @throws HostError why it can't be reached */
  readonly engine?: () => Promise<EngineSummary | undefined>;
  /** Also opens a session, which shows whether a key is missing. */
  readonly opensSession?: boolean;
  /** Does not start the agent, and only checks its environment. */
  readonly withoutStart?: boolean;
}

/** Yields each finding as soon as it is known. Ends early and without an error when `signal` is aborted. Leaves no process behind. */
export async function* examine(examination: Examination, signal: AbortSignal = new AbortController().signal): AsyncGenerator<Finding> {
  const { host, storageDirectory, trusted, engine, withoutStart, opensSession = false } = examination;
  const { agent, cwd } = host;
  const context: AgentCheckContext = { agent, cwd, env: environmentFor(agent, host.baseEnv ?? process.env) };
  const isServer = 'url' in agent;
  const shell = isServer ? { env: {}, findings: [] } : await checkShell(context.env, host.log ?? nullLogger);
  const found = await checkAgent(context, shell.env);
  yield found;
  yield* shell.findings;
  if (signal.aborted) return;
  if (!isServer) yield await checkTools(context);
  for (const { check, run } of findKnownAgent(agent.id)?.doctorChecks ?? []) yield { check, ...(await run(context)) };
  yield await checkStorage(storageDirectory);
  if (trusted !== undefined) yield trustFinding(trusted);
  if (engine !== undefined) yield await engineFinding(engine);
  if (signal.aborted || withoutStart === true || found.state === 'problem' || trusted === false) return;
  const { restart: _restart, ...once } = host;
  yield* await checkHandshake(once, { signal, opensSession });
}

async function engineFinding(find: () => Promise<EngineSummary | undefined>): Promise<Finding> {
  try {
    const engine = await find();
    return engine === undefined
      ? { check: 'engine', state: 'ok', code: 'engine_not_running', params: {} }
      : { check: 'engine', state: 'ok', code: 'engine_running', params: engine };
  } catch (error) {
    return { check: 'engine', state: 'problem', code: 'engine_unreachable', params: { error: toHostError(error).toData() } };
  }
}

function trustFinding(trusted: boolean): Finding {
  return trusted
    ? { check: 'trust', state: 'ok', code: 'workspace_trusted', params: {} }
    : { check: 'trust', state: 'problem', code: 'workspace_untrusted', params: {} };
}

// Starts the agent once, until its first answer or its first session, and checks how it answers.

/** From here on, users notice that the start takes time. */
const slowMs = 5_000;
const stderrLines = 12;
const noiseLines = 5;

interface HandshakeOptions {
  readonly signal: AbortSignal;
  /** Whether to open a session after the handshake. */
  readonly opensSession: boolean;
}

async function checkHandshake(options: AgentHostOptions, { signal, opensSession }: HandshakeOptions): Promise<readonly Finding[]> {
  const host = createAgentHost(options);
  const noise: string[] = [];
  const { label } = options.agent;
  host.onTraffic((entry) => {
    if (entry.kind === 'noise' && noise.length < noiseLines) noise.push(entry.text);
  });
  const startedAt = systemClock.now();
  try {
    const info = await host.start(signal);
    const tookMs = systemClock.now() - startedAt;
    const found = [answeredFinding(label, info, tookMs), ...noiseFinding(label, noise), capabilitiesFinding(info, host.resumeMethods)];
    return opensSession ? [...found, await sessionFinding(host, label)] : found;
  } catch (thrown) {
    const error = toHostError(thrown);
    const params = {
      agent: label,
      error: error.toData(),
      lines: noise,
      stderrTail: host.stderrTail(stderrLines),
      ...('url' in options.agent ? {} : { exampleCommand: exampleCommandLine }),
    };
    return [{ check: 'handshake', state: 'problem', code: 'handshake_failed', params }];
  } finally {
    await host.stop();
    host.dispose();
  }
}

async function sessionFinding(host: AgentHost, agent: string): Promise<Finding> {
  const startedAt = systemClock.now();
  try {
    await host.newSession();
    return { check: 'session', state: 'ok', code: 'session_opened', params: { agent, tookMs: systemClock.now() - startedAt } };
  } catch (thrown) {
    const error = toHostError(thrown);
    const signIn = host.info?.authMethods.map(methodName) ?? [];
    const params = { agent, error: error.toData(), stderrTail: host.stderrTail(stderrLines), signIn };
    const code = error.code === 'auth_required' ? 'session_needs_sign_in' : 'session_failed';
    return { check: 'session', state: 'problem', code, params };
  }
}

/** Adds the id by which the user chooses the method. */
function methodName({ id, name }: AuthMethod): string {
  return name === id ? name : `${name} (${id})`;
}

function answeredFinding(label: string, info: AgentInfo, tookMs: number): Finding {
  const version = info.version === undefined ? {} : { version: info.version };
  const params = { agent: label, name: info.title ?? info.name, ...version, tookMs };
  return tookMs < slowMs
    ? { check: 'handshake', state: 'ok', code: 'handshake_answered', params }
    : { check: 'handshake', state: 'warning', code: 'handshake_slow', params };
}

function noiseFinding(label: string, lines: readonly string[]): readonly Finding[] {
  return lines.length === 0 ? [] : [{ check: 'handshake', state: 'warning', code: 'handshake_noise', params: { agent: label, lines } }];
}

function capabilitiesFinding(
  { promptContent, mcpTransports, authMethods, protocolVersion }: AgentInfo,
  resumeMethods: readonly string[],
): Finding {
  return {
    check: 'capabilities',
    state: 'note',
    code: 'capabilities',
    params: {
      protocolVersion,
      load: resumeMethods.includes('load'),
      resume: resumeMethods.includes('resume'),
      image: promptContent.includes('image'),
      audio: promptContent.includes('audio'),
      resource: promptContent.includes('resource'),
      mcpHttp: mcpTransports.includes('http'),
      mcpSse: mcpTransports.includes('sse'),
      signIn: authMethods.map(methodName),
    },
  };
}
