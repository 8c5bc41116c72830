import * as vscode from 'vscode';
import type { HostSide } from './compose.js';
import { createLazyTree } from './list/lazyTree.js';
import { createStatusItem } from './status/statusBar.js';
import { contributedCommands } from './window/contributedCommands.js';

let host: Promise<HostSide> | undefined;

/** Registers what the user can touch, and waits: the host is loaded with the first touch, an agent is started later still. */
export function activate(context: vscode.ExtensionContext): void {
  const { subscriptions } = context;
  const statusItem = createStatusItem();
  const tree = createLazyTree(() => load());
  subscriptions.push(statusItem, tree);
  const load = (): Promise<HostSide> => (host ??= import('./hostEntry.js').then(({ compose }) => compose(context, { statusItem, tree })));
  for (const command of contributedCommands(context.extension)) {
    subscriptions.push(vscode.commands.registerCommand(command, async (argument: unknown) => (await load()).run(command, argument)));
  }
  subscriptions.push(
    vscode.window.registerWebviewViewProvider('acpHost.chat', {
      resolveWebviewView: async (view) => (await load()).resolveChatView(view),
    }),
  );
  subscriptions.push(
    vscode.window.registerWebviewPanelSerializer('acpHost.chatPanel', {
      deserializeWebviewPanel: async (panel, state: unknown) => (await load()).adoptChatPanel(panel, state),
    }),
  );
  // Set by `npm start`: whoever tries the extension begins in the chat.
  if (process.env['ACP_HOST_OPEN_CHAT'] === '1') void vscode.commands.executeCommand('acpHost.openChat');
}

/** agentao saves a conversation only when it ends well. */
export async function deactivate(): Promise<void> {
  await (await host)?.end();
}
