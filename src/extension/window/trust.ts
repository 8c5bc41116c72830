/** Whether the user trusts the folders of the window. Without it no agent is started. */
import * as vscode from 'vscode';
import type { Disposable } from '../../core/index.js';

export function isTrusted(): boolean {
  return vscode.workspace.isTrusted;
}

/** Trust is only ever given, never taken back, while a window lives. */
export function onTrusted(listener: () => void): Disposable {
  return vscode.workspace.onDidGrantWorkspaceTrust(listener);
}
