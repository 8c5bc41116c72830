/** The folders of the window in which an agent can work: those on the machine where the extension runs. */
import * as vscode from 'vscode';

export interface Folder {
  /** Absolute. */
  readonly path: string;
  readonly name: string;
}

export function openFolders(): readonly Folder[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ uri, name }) => ({ path: uri.fsPath, name }));
}
