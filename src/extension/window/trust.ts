/** Whether the user trusts the folders of the window. Without trust, no agent is started. */
import * as vscode from 'vscode';
import type { Disposable } from '../../core/index.js';

export function isTrusted(): boolean {
  return vscode.workspace.isTrusted;
}

/** During the lifetime of a window, trust can be granted but not revoked. */
export function onTrusted(listener: () => void): Disposable {
  return vscode.workspace.onDidGrantWorkspaceTrust(listener);
}
