/** Runs an agent's sign-in in a terminal of the editor. */
import * as vscode from 'vscode';
import { commandOfMethod, HostError, type AgentDefinition, type TerminalMethod } from '../../core/index.js';

/**
 * Runs the command of the method without a shell.
 * @returns whether to try again; false if the user closed the terminal or the command failed, which the terminal and the editor have shown
 */
export async function signInWithTerminal(
  method: TerminalMethod,
  { definition, cwd }: { readonly definition: AgentDefinition; readonly cwd: string },
): Promise<boolean> {
  // A server must not name commands to run on this machine.
  if ('url' in definition) throw new HostError('unsupported', { reason: 'sign_in' });
  const [command = '', ...args] = commandOfMethod(method, definition);
  const terminal = vscode.window.createTerminal({
    name: `Sign in to ${definition.label}`,
    shellPath: command,
    shellArgs: args,
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
  return code === 0;
}
