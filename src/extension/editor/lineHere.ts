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

/**
 * @param uri of an open file, and its line; absent: the active editor, and its cursor
 * @throws HostError `usage` if no file is open, or one of no folder
 */
export function lineHere(uri?: string, line?: number): LineHere {
  const editor = vscode.window.activeTextEditor;
  const named = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri);
  const document = uri === undefined ? editor?.document : named;
  if (document?.uri.scheme !== 'file') throw new HostError('usage', { detail: 'Open a file first, and put the cursor on the line' });
  const place = lineOf(document, line ?? (editor?.selection.active.line ?? 0) + 1);
  if (place === undefined)
    throw new HostError('usage', {
      detail: `${basename(document.uri.fsPath)} is in no folder of this window, and changes are recorded by folder`,
    });
  return place;
}

/** @param line 1-based @returns undefined for a file of no folder */
export function lineOf(document: vscode.TextDocument, line: number): LineHere | undefined {
  const cwd = vscode.workspace.getWorkspaceFolder(document.uri)?.uri.fsPath;
  if (cwd === undefined) return undefined;
  return { cwd, path: relative(cwd, document.uri.fsPath).replaceAll(sep, '/'), line, text: document.getText() };
}
