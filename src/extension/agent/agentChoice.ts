/** Which agent answers, and how it is started: the settings, what is installed, and the keys that the user gave. */
import {
  type AgentDefinition,
  builtinAgents,
  chooseDefaultAgent,
  findAgents,
  type FoundAgent,
  HostError,
  providerEnv,
} from '../../core/index.js';
import type { AgentChoice } from '../conversation/ports.js';
import type { ApiKeys } from '../window/secrets.js';
import type { AgentaoSettings, Settings } from '../window/settings.js';

export interface AgentSources {
  settings(): Settings;
  readonly apiKeys: ApiKeys;
  /** Absolute path of the bundled demo agent. */
  readonly demoAgentScript: string;
  /** The agent that the user chose in this window; absent: the default of the settings. */
  chosenId(): string | undefined;
  /** The environment in which agents start. Asks the user's login shell where the editor was started without one, so call it only after an action of the user. */
  baseEnv(): Promise<NodeJS.ProcessEnv>;
  /** As much of it as is known without asking anybody. */
  knownEnv(): NodeJS.ProcessEnv;
}

/** Where commands are looked for. */
export interface LaunchContext {
  readonly env: NodeJS.ProcessEnv;
  /** Absolute. */
  readonly cwd: string;
}

/** Every agent that can be chosen, with where it was found. Starts nothing. */
export function listAgents(sources: AgentSources, context: LaunchContext): Promise<readonly FoundAgent[]> {
  return findAgents(definitionsOf(sources), context);
}

/**
 * @param id the agent that it must be; absent: the user's choice
 * @throws HostError `agent_not_found` when there is none at all, `usage` for an agent that nobody knows
 */
export async function chooseAgent(
  sources: AgentSources,
  context: LaunchContext,
  id: string | undefined,
): Promise<Pick<AgentChoice, 'definition' | 'isFallback'>> {
  const found = await listAgents(sources, context);
  const wanted = id ?? sources.chosenId() ?? sources.settings().defaultAgent;
  if (wanted === '') {
    const chosen = chooseDefaultAgent(found);
    if (chosen === undefined)
      throw new HostError('agent_not_found', 'Neither agentao nor the built-in demo agent was found', { data: { command: 'agentao' } });
    return { definition: chosen.definition, isFallback: chosen.definition.id === 'demo' };
  }
  const chosen = found.find(({ definition }) => definition.id === wanted);
  if (chosen === undefined) throw new HostError('usage', `There is no agent "${wanted}" in the settings`);
  return { definition: chosen.definition, isFallback: false };
}

/**
 * The agent as it would be started now, asking the login shell where need be.
 * @throws as chooseAgent
 */
export async function startableAgent(sources: AgentSources, cwd: string, id: string | undefined): Promise<AgentChoice> {
  const baseEnv = await sources.baseEnv();
  const { definition, isFallback } = await chooseAgent(sources, { env: baseEnv, cwd }, id);
  return { definition: await withProvider(definition, sources, baseEnv), isFallback, baseEnv };
}

/** The definition with the user's provider and key in its environment: all of it or nothing. What the definition itself sets comes first. */
async function withProvider(
  definition: AgentDefinition,
  { settings, apiKeys }: AgentSources,
  baseEnv: NodeJS.ProcessEnv,
): Promise<AgentDefinition> {
  if (definition.id !== 'agentao') return definition;
  const { agentao } = settings();
  const { baseUrl, model, format } = agentao;
  const apiKey = await apiKeys.read(providerName(agentao));
  const env = providerEnv(
    { provider: providerName(agentao), baseUrl, model, format, ...(apiKey === undefined ? {} : { apiKey }) },
    baseEnv,
  );
  return { ...definition, env: { ...env, ...definition.env } };
}

/** As agentao names its variables; its own default where nothing is set. */
export function providerName({ provider }: AgentaoSettings): string {
  return provider === '' ? 'OPENAI' : provider.toUpperCase();
}

function definitionsOf({ settings, demoAgentScript }: AgentSources): readonly AgentDefinition[] {
  const { agents, agentao } = settings();
  const builtin = builtinAgents({
    demoAgent: { command: process.execPath, args: [demoAgentScript], env: { ELECTRON_RUN_AS_NODE: '1' } },
  }).map((definition) => (definition.id === 'agentao' && agentao.path !== '' ? { ...definition, command: agentao.path } : definition));
  const configured = [...agents].map(
    ([id, { label, command, args, env }]): AgentDefinition => ({ id, label: label ?? id, command, args, env, protocol: 'acp' }),
  );
  return [...builtin.filter(({ id }) => !agents.has(id)), ...configured];
}
