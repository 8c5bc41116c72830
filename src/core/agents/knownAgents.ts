/** The agents that the host knows without being told, and which of them can be started here. */
import { resolveCommand } from '../node/resolveCommand.js';
import type { AgentDefinition } from './agentDefinition.js';

/** How the front end runs its bundled demo agent; only it knows where that lies and which Node runs it. */
export type DemoAgentLaunch = Pick<AgentDefinition, 'command' | 'args' | 'env'>;

export interface FoundAgent {
  readonly definition: AgentDefinition;
  /** Absolute path of the executable; absent when the command was not found. */
  readonly path: string | undefined;
}

/** In the order of preference, which is also the order in which lists show them. */
export function builtinAgents(launches: { readonly demoAgent: DemoAgentLaunch }): readonly AgentDefinition[] {
  return [
    { id: 'agentao', label: 'agentao', command: 'agentao', args: ['--acp', '--stdio'], env: {}, protocol: 'acp' },
    { id: 'demo', label: 'Demo agent', protocol: 'acp', ...launches.demoAgent },
  ];
}

/** Where an agent will be looked for: the environment and folder in which it is going to be started. */
export interface LaunchContext {
  readonly env: NodeJS.ProcessEnv;
  /** Absolute; a command such as `./agent` is relative to it. */
  readonly cwd: string;
}

/** Looks each command up, in the order of the definitions. Starts nothing. */
export function findAgents(definitions: readonly AgentDefinition[], { env, cwd }: LaunchContext): Promise<readonly FoundAgent[]> {
  return Promise.all(
    definitions.map(async (definition) => {
      const own = environmentFor(definition, env);
      return { definition, path: await resolveCommand(definition.command, { env: own, cwd }) };
    }),
  );
}

/** agentao where it is installed, else the demo agent, which always is; absent only when neither was found. */
export function chooseDefaultAgent(found: readonly FoundAgent[]): FoundAgent | undefined {
  const named = (id: string): FoundAgent | undefined => found.find((agent) => agent.definition.id === id && agent.path !== undefined);
  return named('agentao') ?? named('demo');
}

/** What a process of this agent would find in its environment. */
export function environmentFor(definition: AgentDefinition, inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const env = { ...inherited };
  for (const [name, value] of Object.entries(definition.env)) {
    if (value === null) delete env[name];
    else env[name] = value;
  }
  return env;
}
