import * as vscode from 'vscode';
import type { Disposable } from '../../core/index.js';

export interface Folder {
  /** Absolute. */
  readonly path: string;
  readonly name: string;
}

/** The folders of the window in which an agent can work: those on the machine where the extension runs. */
export function openFolders(): readonly Folder[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ uri, name }) => ({ path: uri.fsPath, name }));
}

/** Without trust, no agent is started. */
export function isTrusted(): boolean {
  return vscode.workspace.isTrusted;
}

/** During the lifetime of a window, trust can be granted but not revoked. */
export function onTrusted(listener: () => void): Disposable {
  return vscode.workspace.onDidGrantWorkspaceTrust(listener);
}
