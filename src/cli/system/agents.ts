/** Chooses the agent. */
import path from 'node:path';
import * as z from 'zod/mini';
import {
  type AgentDefinition,
  agentIdOf,
  anywhere,
  builtinAgents,
  chooseDefaultAgent,
  defaultProtocol,
  findAgents,
  HostError,
  type ProcessDefinition,
  programOnPath,
  Redactor,
  redactedMark,
  registryUrl,
  type ServerDefinition,
  stateFolder,
  withInstalledAgents,
} from '../../core/index.js';
import { type AgentChoice, closest, usageError } from '../arguments/optionValues.js';
import { launchBundle } from './ownPackage.js';
import type { Io } from './io.js';

/** Precedes the command in the id of an agent that `--command` specifies. */
const customPrefix = 'custom:';
const argvSchema = z.readonly(z.array(z.string()));
/** For an agent with ACP, this is only the command, as before there were other protocols. */
const customSchema = z.union([
  argvSchema,
  z.object({ protocol: z.string(), command: argvSchema }),
  z.object({ protocol: z.string(), url: z.string() }),
]);

export interface ChosenAgent {
  readonly definition: AgentDefinition;
  /** No agent was specified, and no other one was found. */
  readonly isFallback: boolean;
}

/** Returns the folder with the agents that ACP Host installed, for every command the same. */
export function agentState(io: Io): string {
  return stateFolder(undefined, io);
}

/** Returns the URL of the list of agents that can be installed. */
export function registryOf({ env }: Io): string {
  return env['ACP_HOST_REGISTRY'] || registryUrl;
}

/** @throws HostError `usage` for an unknown name, `agent_not_found` if there is no agent at all */
export async function chooseAgent(choice: AgentChoice | undefined, io: Io, cwd: string): Promise<ChosenAgent> {
  if (choice?.type === 'command') return { definition: commandDefinition(choice, io.env), isFallback: false };
  if (choice?.type === 'server') return { definition: serverDefinition(choice, io.env), isFallback: false };
  const definitions = await withInstalledAgents({ builtin: builtinAgents(launchBundle) }, agentState(io));
  if (choice) {
    const id = agentIdOf(choice.id);
    const definition = definitions.find((one) => one.id === id) ?? (await programOnPath(id, { env: io.env, cwd }));
    if (definition === undefined) {
      const known = definitions.map((one) => one.id);
      const meant = closest(choice.id, known);
      const advice =
        meant === undefined ? `Known agents: ${known.join(', ')}. Use --command for any other agent` : `Did you mean: ${meant}?`;
      throw usageError(`Unknown agent "${choice.id}". ${advice}`);
    }
    return { definition, isFallback: false };
  }
  const found = chooseDefaultAgent(await findAgents(definitions, { env: io.env, cwd }));
  if (!found) throw new HostError('agent_not_found', { reason: 'none_installed' });
  return { definition: found.definition, isFallback: found.isFallback };
}

/**
 * The id contains the whole command, so that a saved conversation can be resumed by its id alone. It contains no secret, because ids are
 * saved and shown.
 */
function commandDefinition(
  { protocol, argv }: Extract<AgentChoice, { type: 'command' }>,
  env: Readonly<Record<string, string | undefined>>,
): ProcessDefinition {
  const [given = '', ...args] = argv;
  // With `--cwd`, the agent's folder may contain a program with the same name that the user never chose.
  const command = anywhere(given, process.cwd());
  const redactor = new Redactor();
  redactor.addEnvironment(env);
  const whole = redactor.command([command, ...args]);
  const id = customId(protocol === defaultProtocol ? whole : { protocol, command: whole });
  return { id, label: labelOf(command, whole.slice(1)), isUnnamed: true, command, args, env: {}, protocol };
}

/**
 * The id identifies the server, but does not grant access: the key and the pin must be specified each time.
 * @throws HostError `usage`
 */
function serverDefinition(choice: Extract<AgentChoice, { type: 'server' }>, env: NodeJS.ProcessEnv): ServerDefinition {
  const { protocol, url, keyVariable, pin } = choice;
  if (keyVariable !== undefined && (env[keyVariable] ?? '').trim() === '')
    throw usageError(`The environment variable ${keyVariable} of --key-env is not set`);
  return {
    id: customId({ protocol, url }),
    label: new URL(url).host,
    isUnnamed: true,
    protocol,
    url,
    ...(keyVariable === undefined ? {} : { key: { type: 'environment', name: keyVariable } }),
    ...(pin === undefined ? {} : { pin }),
  };
}

function customId(of: object): string {
  return `${customPrefix}${new Redactor().stringify(of)}`;
}

/** A program that runs the agent's program is not its name. */
const runners: ReadonlySet<string> = new Set(['node', 'bun', 'deno', 'npx', 'bunx', 'uv', 'uvx', 'python', 'python3', 'env', 'sh', 'bash']);

/** Used until the agent reports its own name. */
function labelOf(command: string, args: readonly string[]): string {
  const program = path.basename(command).replace(/\.(?:exe|cmd|bat)$/i, '');
  // What `env` sets is no name either.
  const script = args.find((argument) => !/^(?:-|\w+=)/.test(argument));
  return runners.has(program) && script !== undefined ? path.basename(script) : program;
}

/** The name of an agent for users: the one that it reports, once it is known, unless the user chose another one. */
export interface AgentName {
  label: string;
}

/**
 * Returns the choice that leads to the agent with this id.
 * @throws HostError `usage` for a command that contained a secret, `storage_failed` for a damaged id
 */
export function choiceOf(agentId: string): AgentChoice {
  if (!agentId.startsWith(customPrefix)) return { type: 'named', id: agentId };
  if (agentId.includes(redactedMark))
    throw usageError("The command of this session's agent contains a secret, which is not saved. Specify the agent with --command");
  try {
    const saved = customSchema.parse(JSON.parse(agentId.slice(customPrefix.length)));
    if ('url' in saved) return { type: 'server', ...saved };
    return 'command' in saved
      ? { type: 'command', protocol: saved.protocol, argv: saved.command }
      : { type: 'command', protocol: defaultProtocol, argv: saved };
  } catch (cause) {
    throw new HostError(
      'storage_failed',
      { detail: 'The saved session does not record the command of its agent. Specify it with --command' },
      { cause },
    );
  }
}

/** Returns the options that name this agent, for a command line to copy. */
export function commandLineOf(agent: AgentDefinition): string {
  if (!agent.id.startsWith(customPrefix)) return `--agent ${agent.id}`;
  const protocol = agent.protocol === defaultProtocol ? '' : `--protocol ${agent.protocol} `;
  if ('url' in agent) return `${protocol}--url "${agent.url}"`;
  const words = [agent.command, ...agent.args].map((word) => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : `\\"${word}\\"`));
  return `${protocol}--command "${words.join(' ')}"`;
}

/** Returns the name that `--agent` accepts, or `custom`. */
export function agentName(agentId: string): string {
  return agentId.startsWith(customPrefix) ? 'custom' : agentId;
}
