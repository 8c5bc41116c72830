import * as vscode from 'vscode';
import type { HostSide } from './compose.js';
import { createLazyTree } from './list/lazyTree.js';

/** The part of package.json that lists the commands. VS Code has validated it, so activation need not. */
interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: string }[] };
}

let host: Promise<HostSide> | undefined;

/** Registers everything that users can interact with. The host is loaded at the first interaction, and an agent is started even later. */
export function activate(context: vscode.ExtensionContext): void {
  const { subscriptions } = context;
  const statusItem = createStatusItem();
  const tree = createLazyTree(() => load());
  subscriptions.push(statusItem, tree);
  const load = (): Promise<HostSide> => (host ??= import('./compose.js').then(({ compose }) => compose(context, { statusItem, tree })));
  const { registerCommand } = vscode.commands;
  const { packageJSON } = context.extension as { readonly packageJSON: Manifest };
  for (const { command } of packageJSON.contributes.commands) {
    subscriptions.push(
      registerCommand(command, async (argument: unknown, selected: unknown) => (await load()).run(command, argument, selected)),
    );
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
  void loadIfSomethingHappened(context, load);
  // Set by `npm start`, so that the chat is open when a developer tries the extension.
  if (process.env['ACP_HOST_OPEN_CHAT'] === '1') void vscode.commands.executeCommand('acpHost.openChat');
}

/**
 * An agent may be at work, or wait for the user, or have finished, since a window was open. Nothing else shows that before the host is loaded.
 * @see signsOfWork
 */
async function loadIfSomethingHappened({ globalState }: vscode.ExtensionContext, load: () => Promise<unknown>): Promise<void> {
  for (const file of globalState.get<readonly string[]>('signsOfWork') ?? []) {
    const isThere = await vscode.workspace.fs.stat(vscode.Uri.file(file)).then(
      () => true,
      () => false,
    );
    if (isThere) return void (await load());
  }
}

/** agentao only saves a conversation when it ends gracefully. */
export async function deactivate(): Promise<void> {
  await (await host)?.end();
}

/** The way to the session's controls, as it is before the host is loaded, which draws it (`status/statusBar`). */
function createStatusItem(): vscode.StatusBarItem {
  const item = vscode.window.createStatusBarItem('acpHost.status', vscode.StatusBarAlignment.Right, 100);
  item.name = 'ACP Host';
  item.command = 'acpHost.sessionControls';
  item.text = '$(comment-discussion) ACP Host $(circle-outline)';
  item.tooltip = 'No agent is running. To start one, select it or send a message in the chat.';
  item.accessibilityInformation = { label: 'ACP Host, not running. Session controls', role: 'button' };
  item.show();
  return item;
}
