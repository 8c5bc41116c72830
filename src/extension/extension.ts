import * as vscode from 'vscode';
import type { HostSide } from './compose.js';
import { createStatusItem } from './status/statusBar.js';
import { contributedCommands } from './window/contributedCommands.js';

let host: Promise<HostSide> | undefined;

/** Registers what the user can touch, and waits: the host is loaded with the first touch, an agent is started later still. */
export function activate(context: vscode.ExtensionContext): void {
  const { subscriptions } = context;
  const statusItem = createStatusItem();
  subscriptions.push(statusItem);
  const load = (): Promise<HostSide> => (host ??= import('./hostEntry.js').then(({ compose }) => compose(context, statusItem)));
  for (const command of contributedCommands(context.extension)) {
    subscriptions.push(vscode.commands.registerCommand(command, async () => (await load()).run(command)));
  }
  subscriptions.push(
    vscode.window.registerWebviewViewProvider('acpHost.chat', {
      resolveWebviewView: async (view) => (await load()).resolveChatView(view),
    }),
  );
  subscriptions.push(
    vscode.window.registerWebviewPanelSerializer('acpHost.chatPanel', {
      deserializeWebviewPanel: async (panel) => (await load()).adoptChatPanel(panel),
    }),
  );
}

/** agentao saves a conversation only when it ends well. */
export async function deactivate(): Promise<void> {
  await (await host)?.end();
}
