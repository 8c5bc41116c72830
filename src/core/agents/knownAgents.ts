/** The agents that the host knows, what it knows about each, and which of them can be started on this machine. */
import { resolveCommand } from '../node/resolveCommand.js';
import type { ContentBlock } from '../session/model.js';
import type { AcpQuirks } from './acpQuirks.js';
import { type AgentDefinition, environmentFor, type ProcessDefinition } from './agentDefinition.js';
import type { AgentInstallation, CommandLaunch, KnownAgent, PromptHang, ProviderAgent } from './agentKnowledge.js';
import { agentao } from './agentao.js';
import { agentCli } from './agentCli.js';
import { agentService } from './agentService.js';
import { claudeAgent } from './claudeAgent.js';
import { codexAgent } from './codexAgent.js';
import { demoAgent } from './demoAgent.js';
import { geminiCli } from './geminiCli.js';
import { openCode } from './openCode.js';
import { omp } from './omp.js';
import { pi } from './pi.js';
import { piAgent } from './piAgent.js';
import { standardQuirks } from './standardQuirks.js';
import { xcsh } from './xcsh.js';

const known: KnownAgent[] = [
  agentao,
  demoAgent,
  claudeAgent,
  geminiCli,
  codexAgent,
  openCode,
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
