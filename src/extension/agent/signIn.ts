/** Signing in to an agent, the way the agent says: in a terminal of the editor, or by a call that the agent settles itself. */
import * as vscode from 'vscode';
import type { AgentDefinition, AgentHost, AuthMethod } from '../../core/index.js';

/** @returns whether it is worth trying again; false when the user canceled or the agent failed: its terminal and the editor have shown why */
export async function signIn(
  method: AuthMethod,
  host: AgentHost,
  launch: { readonly definition: AgentDefinition; readonly cwd: string },
): Promise<boolean> {
  if ('type' in method && method.type === 'terminal') return (await runInTerminal(method, launch)) === 0;
  await host.authenticate(method.id);
  return true;
}

type TerminalMethod = Extract<AuthMethod, { readonly type: 'terminal' }>;

/** The agent's own command with the arguments of the method added, without a shell. @returns its exit code; undefined when the user closed it */
async function runInTerminal(
  method: TerminalMethod,
  { definition, cwd }: { readonly definition: AgentDefinition; readonly cwd: string },
): Promise<number | undefined> {
  const terminal = vscode.window.createTerminal({
    name: `Sign in to ${definition.label}`,
    shellPath: definition.command,
    shellArgs: [...definition.args, ...(method.args ?? [])],
    cwd,
    env: { ...definition.env, ...method.env },
    isTransient: true,
  });
  terminal.show();
  const code = await new Promise<number | undefined>((resolve) => {
    const subscription = vscode.window.onDidCloseTerminal((closed) => {
      if (closed !== terminal) return;
      subscription.dispose();
      resolve(closed.exitStatus?.code);
    });
  });
  return code;
}
