/** Which agent a run uses. */
import path from 'node:path';
import * as z from 'zod/mini';
import { type AgentDefinition, builtinAgents, chooseDefaultAgent, findAgents, HostError } from '../../core/index.js';
import type { AgentChoice } from '../arguments/request.js';
import { demoAgentLaunch } from './demoAgent.js';
import type { Io } from './io.js';

/** In front of the command in the id of an agent that `--command` named. */
const customPrefix = 'custom:';
const argvSchema = z.readonly(z.array(z.string()));

export interface ChosenAgent {
  readonly definition: AgentDefinition;
  /** The demo agent, because nothing better was found and nobody named one. */
  readonly isFallback: boolean;
}

/** @throws HostError `usage` for a name that no agent has, `agent_not_found` when there is none at all */
export async function chooseAgent(choice: AgentChoice | undefined, io: Io, cwd: string): Promise<ChosenAgent> {
  if (choice?.type === 'command') return { definition: commandDefinition(choice.argv), isFallback: false };
  const definitions = builtinAgents({ demoAgent: demoAgentLaunch() });
  if (choice) {
    const definition = definitions.find(({ id }) => id === choice.id);
    if (!definition)
      throw new HostError(
        'usage',
        `There is no agent "${choice.id}". Known: ${definitions.map(({ id }) => id).join(', ')}. Any other one can be given with --command`,
      );
    return { definition, isFallback: false };
  }
  const found = chooseDefaultAgent(await findAgents(definitions, { env: io.env, cwd }));
  if (!found) throw new HostError('agent_not_found', 'No agent was found');
  const { definition } = found;
  return { definition, isFallback: definition.id === 'demo' };
}

/** Its id holds all of its command: a kept conversation is taken up with nothing else at hand. */
function commandDefinition(argv: readonly string[]): AgentDefinition {
  const [command = '', ...args] = argv;
  return { id: `${customPrefix}${JSON.stringify(argv)}`, label: path.basename(command), command, args, env: {}, protocol: 'acp' };
}

/** How the agent of this id is chosen again. @throws HostError `storage_failed` for what no command line wrote */
export function choiceOf(agentId: string): AgentChoice {
  if (!agentId.startsWith(customPrefix)) return { type: 'named', id: agentId };
  try {
    return { type: 'command', argv: argvSchema.parse(JSON.parse(agentId.slice(customPrefix.length))) };
  } catch (cause) {
    throw new HostError('storage_failed', 'The kept session does not tell the command of its agent. Give it with --command', { cause });
  }
}

/** What a person or a program is told: the name that `--agent` takes, or `custom`. */
export function agentName(agentId: string): string {
  return agentId.startsWith(customPrefix) ? 'custom' : agentId;
}
