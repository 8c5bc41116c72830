import * as vscode from 'vscode';
import { HostError } from '../../core/index.js';

/**
 * Returns what is selected in the active terminal. Extensions can only copy it, so the text of the clipboard is put back.
 * @throws HostError `usage` if nothing is selected
 */
export async function terminalSelection(): Promise<string> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  try {
    // Without a selection, nothing is copied.
    await clipboard.writeText('');
    await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    const text = await clipboard.readText();
    if (text.trim() === '') throw new HostError('usage', { detail: 'Select in a terminal what the agent should see' });
    return text;
  } finally {
    await clipboard.writeText(before);
  }
}
