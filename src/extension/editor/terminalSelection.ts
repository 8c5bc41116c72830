import * as vscode from 'vscode';
import { HostError } from '../../core/index.js';

/**
 * Returns what is selected in the active terminal. If that is nothing, VS Code says so, and this returns undefined. Extensions can only copy
 * it, so the text of the clipboard is put back.
 * @throws HostError `usage` without a terminal
 */
export async function terminalSelection(): Promise<string | undefined> {
  if (vscode.window.activeTerminal === undefined)
    throw new HostError('usage', { detail: 'Select in a terminal what the agent should see' });
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  try {
    // Without a selection, nothing is copied.
    await clipboard.writeText('');
    await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    return (await clipboard.readText()) || undefined;
  } finally {
    await clipboard.writeText(before);
  }
}
