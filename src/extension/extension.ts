import * as vscode from 'vscode';
import { actionIds, commandOf } from '../contract/actions.js';
import type { HostSide } from './compose.js';
import { createStatusItem } from './status/statusBar.js';

let host: Promise<HostSide> | undefined;

/** Registers what the user can touch, and waits: the host is loaded with the first touch, an agent is started later still. */
export function activate(context: vscode.ExtensionContext): void {
  const { subscriptions } = context;
  const statusItem = createStatusItem();
  subscriptions.push(statusItem);
  const load = (): Promise<HostSide> => (host ??= import('./hostEntry.js').then(({ compose }) => compose(context, statusItem)));
  for (const action of actionIds) {
    const command = commandOf(action);
    if (command !== undefined) subscriptions.push(vscode.commands.registerCommand(command, async () => (await load()).run(action)));
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
