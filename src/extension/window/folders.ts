/** The folders of the window in which an agent can work: those on the machine where the extension runs. */
import { basename } from 'node:path';
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

/** Returns the open folder with this path, or one that was open. */
export function folderAt(folderPath: string): Folder {
  return openFolders().find(({ path }) => path === folderPath) ?? { path: folderPath, name: basename(folderPath) };
}
