/** The status bar item as activation creates it, without the code that draws it: the way to the session's controls. */
import * as vscode from 'vscode';

export function createStatusItem(): vscode.StatusBarItem {
  const item = vscode.window.createStatusBarItem('acpHost.status', vscode.StatusBarAlignment.Right, 100);
  item.name = 'ACP Host';
  item.command = 'acpHost.sessionControls';
  item.text = '$(comment-discussion) ACP Host $(circle-outline)';
  item.tooltip = 'No agent is running. It starts with your first message.';
  item.accessibilityInformation = { label: 'ACP Host, not running. Session controls', role: 'button' };
  item.show();
  return item;
}
