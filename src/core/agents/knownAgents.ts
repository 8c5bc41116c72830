/** The agents that the host knows, what it knows about each, and which of them can be started on this machine. */
import { resolveCommand } from '../node/resolveCommand.js';
import type { ContentBlock } from '../session/model.js';
import type { AcpQuirks } from './acpQuirks.js';
import { isSince, parseVersion } from './agentVersion.js';
import { type AgentDefinition, environmentFor, type ProcessDefinition } from './agentDefinition.js';
import type { AgentInstallation, CommandLaunch, KnownAgent, PromptHang, ProviderAgent } from './agentKnowledge.js';
import { agentaoProvider } from './agentao/agentaoEnv.js';
import { agentaoDoctorChecks, agentaoQuirks, checkAgentaoPrompt } from './agentao/agentaoQuirks.js';
import { standardQuirks } from './standardQuirks.js';

/** Source: agentao 0.5.17 and 0.4.20, both measured; the versions in between are from its changelog. */
const agentao = {
  id: 'agentao',
  label: 'agentao',
  launch: { command: 'agentao', args: ['--acp', '--stdio'] },
  install: { command: 'uv tool install agentao', otherCommands: ['pipx install agentao', 'pip install agentao', 'pip3 install agentao'] },
  settingsSection: 'agentao',
  provider: agentaoProvider,
  acpQuirks: agentaoQuirks,
  askGate: { by: 'mode', mode: 'read-only' },
  askUserMethod: '_agentao.cn/ask_user',
  checkPrompt: checkAgentaoPrompt,
  endsWithInput: true,
  doctorChecks: agentaoDoctorChecks,
} satisfies KnownAgent;

/**
 * Claude Code through one of its two adapters. The newer one starts in the mode `auto`, which asks about nothing by itself. Source:
 * claude-agent-acp 0.101.0 and claude-code-acp 0.16.2, both measured as root in a container.
 */
const claudeAgent = {
  id: 'claude-agent-acp',
  otherNames: ['@agentclientprotocol/claude-agent-acp', 'claude-code-acp', '@zed-industries/claude-code-acp'],
  registryId: 'claude-acp',
  label: 'Claude Code',
  launch: { command: 'claude-agent-acp', args: [] },
  program: { command: 'claude' },
  install: { command: 'npm install --global @agentclientprotocol/claude-agent-acp' },
  askGate: { by: 'mode', mode: 'default' },
  acpQuirks: (version) => ({
    ...standardQuirks,
    // The older adapter forks only at the end, and has no version as high as this.
    forksAtMessage: isSince(parseVersion(version), [0, 101, 0]),
    failureHint: (reason) =>
      reason.includes('--dangerously-skip-permissions cannot be used with root')
        ? { code: 'refuses_root', params: { variable: 'IS_SANDBOX', value: '1' } }
        : undefined,
  }),
} satisfies KnownAgent;

/**
 * Pi through its own protocol. It has no permissions: it does whatever it is told, unless an extension asks. Source: pi 0.74.2 and 1.6.0,
 * measured.
 */
const pi = {
  id: 'pi',
  label: 'Pi',
  protocol: 'pi',
  launch: { command: 'pi', args: ['--mode', 'rpc'] },
  install: { command: 'npm install --global --ignore-scripts @earendil-works/pi-coding-agent' },
  askGate: { by: 'extension', file: 'askFirst.js' },
  endsWithInput: true,
} satisfies KnownAgent;

/**
 * Codex through its adapter. It starts in a mode in which it decides by itself what is safe, and runs commands and writes files without
 * asking. In the mode of `askGate`, it does neither. Source: codex-acp 2.6.0, measured.
 */
const codexAgent = {
  id: 'codex-acp',
  registryId: 'codex-acp',
  otherNames: ['@agentclientprotocol/codex-acp'],
  label: 'Codex',
  launch: { command: 'codex-acp', args: [] },
  program: { command: 'codex' },
  install: { command: 'npm install --global @agentclientprotocol/codex-acp' },
  askGate: { by: 'mode', mode: 'read-only' },
  acpQuirks: (version) => ({ ...standardQuirks, forksAtMessage: isSince(parseVersion(version), [2, 6, 0]) }),
} satisfies KnownAgent;

/**
 * The names of its session files contain the minute. It takes every error of a file that it reads through the host for a failure, and could
 * then create no file (its SDK rejects with a plain object). Source: gemini-cli 0.61.0, measured.
 */
const geminiCli = {
  id: 'gemini-cli',
  registryId: 'gemini',
  label: 'Gemini CLI',
  launch: { command: 'gemini', args: ['--acp'] },
  install: { command: 'npm install --global @google/gemini-cli' },
  askGate: { by: 'mode', mode: 'default' },
  loadsFromNextMinute: true,
  acpQuirks: () => ({ ...standardQuirks, readsMissingAsEmpty: true }),
} satisfies KnownAgent;

/** The agent without a model that ships with each front end (src/demo-agent). */
const demoAgent = {
  id: 'demo',
  label: 'Demo agent',
  commonName: 'demo agent',
  launch: { bundle: 'demo-agent' },
  isFallback: true,
  tour: { helpPrompt: 'help', examples: ['list', 'plan', 'ask'] },
} satisfies KnownAgent;

/** Source: the public registry of ACP agents, for opencode 1.18. */
const openCode = {
  id: 'opencode',
  registryId: 'opencode',
  otherNames: ['OpenCode'],
  label: 'OpenCode',
  launch: { command: 'opencode', args: ['acp'] },
  install: { command: 'npm install --global opencode-ai' },
} satisfies KnownAgent;

/** It starts in a mode in which its model decides what it asks about. In the mode of `askGate`, it asks. Source: qwen-code 0.24.4, measured. */
const qwenCode = {
  id: 'qwen-code',
  registryId: 'qwen-code',
  label: 'Qwen Code',
  launch: { command: 'qwen', args: ['--acp'] },
  install: { command: 'npm install --global @qwen-code/qwen-code' },
  askGate: { by: 'mode', mode: 'default' },
  acpQuirks: () => ({ ...standardQuirks, asksForSteers: true }),
} satisfies KnownAgent;

/** A fork of Oh My Pi. Like Pi, it never asks for permission. Source: xcsh 17.4.4, measured. */
const xcsh = {
  id: 'xcsh',
  label: 'xcsh',
  protocol: 'xcsh',
  launch: { command: 'xcsh', args: ['--mode', 'rpc'] },
} satisfies KnownAgent;

/** Oh My Pi: a fork of Pi that has the protocol of its own fork, xcsh. Source: omp 14.9.9, measured. */
const omp = {
  id: 'omp',
  label: 'omp',
  protocol: 'xcsh',
  launch: { command: 'omp', args: ['--mode', 'rpc'] },
} satisfies KnownAgent;

/** A server whose URL only its operator knows. Source: its protocol document of 2025-03-30; not tested with the program itself. */
const agentService = {
  id: 'agent-service',
  label: 'Agent service',
  commonName: 'agent service',
  protocol: 'agent-service',
} satisfies KnownAgent;

/**
 * Pi through its adapter. Pi has no permissions: it does whatever it is told, unless an extension asks; the adapter passes the extension's
 * questions on. Its modes are thinking levels. Source: pi-acp 0.0.34 with pi 0.74.2 and 0.87.1, measured.
 */
const piAgent = {
  id: 'pi-acp',
  registryId: 'pi-acp',
  label: 'pi',
  askGate: { by: 'extension', file: 'askFirst.js' },
} satisfies KnownAgent;

/** A server whose URL only its operator knows. Source: agent-cli 0.9.0 (392ac0a), read and not run. */
const agentCli = { id: 'agent-cli', label: 'Agent-CLI', protocol: 'agent-cli' } satisfies KnownAgent;

const known: KnownAgent[] = [
  agentao,
  demoAgent,
  claudeAgent,
  geminiCli,
  codexAgent,
  openCode,
  qwenCode,
  pi,
  xcsh,
  omp,
  piAgent,
  agentCli,
  agentService,
];

/** In the order of preference, in which lists also show them. */
export const knownAgents: readonly KnownAgent[] = known;

/** Adds an agent, or replaces one with the same id. For programs that use this library; call it before anything uses the list. */
export function addKnownAgent(agent: KnownAgent): void {
  const index = known.findIndex(({ id }) => id === agent.id);
  known.splice(index === -1 ? known.length : index, 1, agent);
}

/** The agent whose installation is suggested to a user without an agent. */
export const suggestedAgent: ProviderAgent & { readonly launch: CommandLaunch; readonly install: AgentInstallation } = agentao;

/** The agent that is used if no other one is installed. It ships with the front end. */
export const fallbackAgent: KnownAgent & Required<Pick<KnownAgent, 'commonName'>> = demoAgent;

/** An example of a command that starts an agent. */
export const exampleCommandLine: string = [suggestedAgent.launch.command, ...suggestedAgent.launch.args].join(' ');

/** @param id the id of its definition, or the name that it reports in the handshake */
export function findKnownAgent(id: string | undefined): KnownAgent | undefined {
  return id === undefined ? undefined : knownAgents.find((agent) => agent.id === id || agent.otherNames?.includes(id) === true);
}

/** Returns the known agent that this command starts. */
export function findAgentOfCommand(command: string): KnownAgent | undefined {
  return knownAgents.find(({ launch }) => launch !== undefined && 'command' in launch && launch.command === command);
}

/** @param agentInfo as in the agent's answer to `initialize` */
export function acpQuirksOf(agentInfo: { readonly name: string; readonly version: string } | null | undefined): AcpQuirks {
  return findKnownAgent(agentInfo?.name)?.acpQuirks?.(agentInfo?.version ?? '') ?? standardQuirks;
}

const minuteMs = 60_000;
/** Tolerates small differences between our clock and that of the agent's files. */
const minuteSlackMs = 1_000;
/** How long a session may have to wait until it can be loaded. */
export const longestLoadWaitMs = minuteMs + minuteSlackMs;

/**
 * @param agentName as in `AgentInfo`
 * @returns when a session with this creation time can be loaded, in milliseconds since the epoch
 */
export function loadableFrom(agentName: string, createdAt: number): number {
  if (findKnownAgent(agentName)?.loadsFromNextMinute !== true) return createdAt;
  return (Math.floor(createdAt / minuteMs) + 1) * minuteMs + minuteSlackMs;
}

export function askUserMethods(): readonly string[] {
  return knownAgents.flatMap(({ askUserMethod }) => askUserMethod ?? []);
}

/**
 * Call this before the prompt is sent.
 * @param agent its name as in `AgentInfo`; the id of its definition if it was never started
 */
export function checkPrompt(agent: { readonly name: string }, content: readonly ContentBlock[]): PromptHang | undefined {
  return findKnownAgent(agent.name)?.checkPrompt?.(content);
}

/** How a front end runs a program that ships with it. */
export type BundledLaunch = Pick<ProcessDefinition, 'command' | 'args' | 'env'>;

/**
 * Returns the known agents that can be started without any setting.
 * @param launchBundle returns where a bundle is and which Node runs it
 */
export function builtinAgents(launchBundle: (bundle: string) => BundledLaunch): readonly ProcessDefinition[] {
  return knownAgents.flatMap(({ id, label, launch, protocol = 'acp' }): readonly ProcessDefinition[] => {
    if (launch === undefined) return [];
    return [{ id, label, env: {}, protocol, ...('bundle' in launch ? launchBundle(launch.bundle) : launch) }];
  });
}

/** An agent with the place at which it was found. */
export interface FoundAgent<D extends AgentDefinition = AgentDefinition> {
  readonly definition: D;
  /** Absolute path of the executable; undefined if the command was not found, and for a server. */
  readonly path: string | undefined;
  readonly isFallback: boolean;
  /** Only the adapter is missing: the program that it is for was found. */
  readonly isAdapterMissing?: boolean;
  /** Present if the agent was not found and it is known how to install it. */
  readonly installCommand?: string;
}

/** The environment and folder in which an agent will be started, and thus searched for. */
export interface LaunchContext {
  readonly env: NodeJS.ProcessEnv;
  /** Absolute; a command such as `./agent` is relative to it. */
  readonly cwd: string;
}

/** Returns the first command that can be run on this machine, else the preferred one. */
export async function installCommandFor({ command, otherCommands = [] }: AgentInstallation, context: LaunchContext): Promise<string> {
  for (const one of [command, ...otherCommands]) if ((await resolveCommand(one.replace(/ .*/, ''), context)) !== undefined) return one;
  return command;
}

/** Returns whether the agent can be started or is a server. Whether a server answers is only known after connecting to it. */
export function isAvailable({ definition, path }: Pick<FoundAgent, 'definition' | 'path'>): boolean {
  return path !== undefined || 'url' in definition;
}

/** Resolves each command, in the order of the definitions. Starts nothing. */
export function findAgents<D extends AgentDefinition>(
  definitions: readonly D[],
  { env, cwd }: LaunchContext,
): Promise<readonly FoundAgent<D>[]> {
  return Promise.all(
    definitions.map(async (definition) => {
      const agent = findKnownAgent(definition.id);
      const found = { definition, isFallback: agent?.isFallback === true };
      if ('url' in definition) return { ...found, path: undefined };
      const where = { env: environmentFor(definition, env), cwd };
      const path = await resolveCommand(definition.command, where);
      const program = path === undefined ? agent?.program : undefined;
      const isAdapterMissing = program !== undefined && (await resolveCommand(program.command, where)) !== undefined;
      const installCommand = path === undefined && agent?.install !== undefined ? await installCommandFor(agent.install, where) : undefined;
      return { ...found, path, ...(isAdapterMissing && { isAdapterMissing }), ...(installCommand !== undefined && { installCommand }) };
    }),
  );
}

/**
 * Returns the first known agent that is installed, else the first of the others, else the fallback; undefined only if none of them was
 * found.
 */
export function chooseDefaultAgent<D extends AgentDefinition>(found: readonly FoundAgent<D>[]): FoundAgent<D> | undefined {
  const installed = knownAgents.flatMap(({ id }) => found.find((one) => one.definition.id === id && isAvailable(one)) ?? []);
  const others = found.filter((one) => isAvailable(one) && !one.isFallback);
  return installed.find(({ isFallback }) => !isFallback) ?? others[0] ?? installed[0];
}
