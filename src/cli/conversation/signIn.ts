import type { AgentDefinition, AgentInfo } from '../../core/index.js';

/** How to sign in, for a person at a terminal: the agent's own methods, if it lists any. */
export function signInAdvice({ command, args }: AgentDefinition, info: AgentInfo | undefined): string {
  const methods = info?.authMethods ?? [];
  if (methods.length === 0) return "Sign in with the agent's own program, or set its API key in the environment, then try again.";
  const lines = methods.map((method) => {
    const terminal = 'type' in method && method.type === 'terminal' ? method : undefined;
    const how = terminal
      ? `run: ${[command, ...args, ...(terminal.args ?? [])].map(quoted).join(' ')}`
      : (method.description ?? 'start the agent in a terminal and follow its instructions');
    return `  ${method.name}: ${how}`;
  });
  return ['Sign in, then try again:', ...lines].join('\n');
}

function quoted(argument: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(argument) ? argument : `"${argument}"`;
}
