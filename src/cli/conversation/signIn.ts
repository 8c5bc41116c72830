/** Explains to users at a terminal how to sign in. */
import {
  type AgentDefinition,
  type AgentInfo,
  type AuthMethod,
  commandOfMethod,
  missingKeys,
  type ProcessDefinition,
  Redactor,
  type TerminalMethod,
  stripControls,
} from '../../core/index.js';
import { oneLine } from '../../text/plainText.js';
import { commandLineOf } from '../system/agents.js';

type KeyVariables = NonNullable<Extract<AuthMethod, { type: 'agent' }>['keys']>;

/** Returns the command for signing in, and the methods that the agent lists. */
export function signInAdvice(agent: AgentDefinition, info: AgentInfo | undefined, env: NodeJS.ProcessEnv): string {
  const methods = info?.authMethods ?? [];
  if (methods.length === 0) return "Sign in with the agent's own program, or set its API key in the environment, then try again.";
  return [`Sign in with: acp-host login ${commandLineOf(agent)}`, ...methodLines(methods, agent, env)].join('\n');
}

/** Returns one line for each method. */
export function methodLines(methods: readonly AuthMethod[], agent: AgentDefinition, env: NodeJS.ProcessEnv): readonly string[] {
  return methods.map((method, index) => {
    const name = method.name === method.id ? method.id : `${method.name} (${method.id})`;
    return `  ${index + 1}  ${oneLine(name)}: ${oneLine(howOf(method, agent, env), 300)}`;
  });
}

function howOf(method: AuthMethod, agent: AgentDefinition, env: NodeJS.ProcessEnv): string {
  if (method.type === 'terminal') return 'url' in agent ? 'not available for a server' : `runs ${signInCommand(method, agent)}`;
  const { keys, description } = method;
  if (keys === undefined) return description ?? 'the agent signs you in';
  const names = keys.names.join(keys.needs === 'all' ? ' and ' : ' or ');
  return missingKeys(method, env).length === 0 ? `takes ${names}, which is set` : `takes ${names}, which is not set`;
}

/** Returns which key was used. */
export function keyHint({ names }: KeyVariables, env: NodeJS.ProcessEnv): string {
  const set = names.filter((name) => (env[name] ?? '').trim() !== '');
  return `It uses ${set.join(' and ')} from the environment. \`run\` and \`chat\` do this by themselves.`;
}

/** The variables that the method sets, without secrets, and then its command. */
export function signInCommand(method: TerminalMethod, agent: ProcessDefinition): string {
  const redactor = new Redactor();
  const variables = Object.entries(method.env).map(([name, value]) => redactor.text(`${name}=${quoted(value)}`));
  return stripControls([...variables, ...commandOfMethod(method, agent).map(quoted)].join(' '));
}

function quoted(argument: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(argument) ? argument : `"${argument.replaceAll('"', '\\"')}"`;
}
