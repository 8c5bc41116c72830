/** The line at the cursor, for questions about what is recorded of its file. */
import { basename, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { HostError } from '../../core/index.js';

export interface LineHere {
  /** The folder of the window that has the file; absolute. */
  readonly cwd: string;
  /** Relative to the folder, with `/`. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** All of the file, with what is not saved. */
  readonly text: string;
}

/** @throws HostError `usage` if no file is open, or one of no folder */
export function lineHere(): LineHere {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme !== 'file') throw new HostError('usage', { detail: 'Open a file first, and put the cursor on the line' });
  const { document, selection } = editor;
  const { fsPath } = document.uri;
  const folder = vscode.workspace.getWorkspaceFolder(document.uri)?.uri;
  if (folder === undefined)
    throw new HostError('usage', { detail: `${basename(fsPath)} is in no folder of this window, and changes are recorded by folder` });
  return {
    cwd: folder.fsPath,
    path: relative(folder.fsPath, fsPath).replaceAll(sep, '/'),
    line: selection.active.line + 1,
    text: document.getText(),
  };
}
