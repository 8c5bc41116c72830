/** Chooses the agent. */
import path from 'node:path';
import * as z from 'zod/mini';
import {
  type AgentDefinition,
  builtinAgents,
  chooseDefaultAgent,
  findAgents,
  HostError,
  Redactor,
  redactedMark,
} from '../../core/index.js';
import type { AgentChoice } from '../arguments/request.js';
import { launchBundle } from './bundles.js';
import type { Io } from './io.js';
import { usageError } from '../arguments/usageError.js';

/** Precedes the command in the ID of an agent that `--command` specifies. */
const customPrefix = 'custom:';
const argvSchema = z.readonly(z.array(z.string()));

export interface ChosenAgent {
  readonly definition: AgentDefinition;
  /** No agent was named, and no other one was found. */
  readonly isFallback: boolean;
}

/** @throws HostError `usage` for an unknown name, `agent_not_found` where there is no agent at all */
export async function chooseAgent(choice: AgentChoice | undefined, io: Io, cwd: string): Promise<ChosenAgent> {
  if (choice?.type === 'command') return { definition: commandDefinition(choice.argv), isFallback: false };
  const definitions = builtinAgents(launchBundle);
  if (choice) {
    const definition = definitions.find(({ id }) => id === choice.id);
    if (!definition)
      throw usageError(
        `Unknown agent "${choice.id}". Known agents: ${definitions.map(({ id }) => id).join(', ')}. Use --command for any other agent`,
      );
    return { definition, isFallback: false };
  }
  const found = chooseDefaultAgent(await findAgents(definitions, { env: io.env, cwd }));
  if (!found) throw new HostError('agent_not_found', { reason: 'none_installed' });
  return { definition: found.definition, isFallback: found.isFallback };
}

/** The ID contains the whole command, so that a saved conversation can be resumed from its ID alone, but no secret: IDs are saved and shown. */
function commandDefinition(argv: readonly string[]): AgentDefinition {
  const [given = '', ...args] = argv;
  const command = isRelativePath(given) ? path.resolve(given) : given;
  const id = `${customPrefix}${new Redactor().stringify([command, ...args])}`;
  return { id, label: labelOf(command, args), isUnnamed: true, command, args, env: {}, protocol: 'acp' };
}

/** What runs the program of an agent is not its name. */
const runners: ReadonlySet<string> = new Set(['node', 'bun', 'deno', 'npx', 'bunx', 'uv', 'uvx', 'python', 'python3', 'env', 'sh', 'bash']);

/** Until the agent tells its own name. */
function labelOf(command: string, args: readonly string[]): string {
  const program = path.basename(command).replace(/\.(?:exe|cmd|bat)$/i, '');
  const script = args.find((argument) => !argument.startsWith('-'));
  return runners.has(program) && script !== undefined ? path.basename(script) : program;
}

/** What people call an agent: its own name, once that is known, where nobody gave it another one. */
export interface AgentName {
  label: string;
}

/** Such a program lies in the shell's folder: with `--cwd`, the agent's folder may contain a program of the same name that nobody chose. */
function isRelativePath(command: string): boolean {
  return !path.isAbsolute(command) && command !== path.basename(command);
}

/** Returns the choice that leads to the agent with this ID. @throws HostError `usage` for a command that had a secret, `storage_failed` for a damaged ID */
export function choiceOf(agentId: string): AgentChoice {
  if (!agentId.startsWith(customPrefix)) return { type: 'named', id: agentId };
  if (agentId.includes(redactedMark))
    throw usageError("The command of this session's agent contains a secret, which is not saved. Specify the agent with --command");
  try {
    return { type: 'command', argv: argvSchema.parse(JSON.parse(agentId.slice(customPrefix.length))) };
  } catch (cause) {
    throw new HostError(
      'storage_failed',
      { detail: 'The saved session does not record the command of its agent. Specify it with --command' },
      { cause },
    );
  }
}

/** Returns the options that name this agent, for a command line to copy. */
export function commandLineOf({ id, command, args }: AgentDefinition): string {
  if (!id.startsWith(customPrefix)) return `--agent ${id}`;
  const words = [command, ...args].map((word) => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : `\\"${word}\\"`));
  return `--command "${words.join(' ')}"`;
}

/** Returns the name that `--agent` accepts, or `custom`. */
export function agentName(agentId: string): string {
  return agentId.startsWith(customPrefix) ? 'custom' : agentId;
}
