/** Brings code from an answer to the file that the user works in. */
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { HostError } from '../../core/index.js';
import type { Documents } from './documents.js';

/**
 * Inserts the code at the cursor, or replaces the selection. A single undo reverts it.
 * @throws HostError `usage` if no file is open
 */
export async function insertCode(text: string): Promise<void> {
  const editor = editorInUse();
  const { selection, document, viewColumn } = editor;
  const isDone = await editor.edit((edit) => edit.replace(selection, text));
  if (!isDone) throw new HostError('usage', { detail: `${basename(document.fileName)} can't be edited` });
  await vscode.window.showTextDocument(document, { ...(viewColumn === undefined ? {} : { viewColumn }) });
}

/**
 * Compares the code with the selection, or with the whole file.
 * @throws HostError `usage` if no file is open
 */
export async function compareCode(text: string, documents: Documents): Promise<void> {
  const { document, selection } = editorInUse();
  const before = document.getText(selection.isEmpty ? undefined : selection);
  // A file usually ends with a line break, and the code of a block never does.
  const after = before.endsWith('\n') && !text.endsWith('\n') ? `${text}\n` : text;
  await documents.openDiff(document.fileName, before, after);
}

/** If the chat itself is the active editor, uses the file next to it. */
function editorInUse(): vscode.TextEditor {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  const editor = [activeTextEditor, ...visibleTextEditors].find((one) => one?.document.uri.scheme === 'file' || one?.document.isUntitled);
  if (editor === undefined) throw new HostError('usage', { detail: 'First open the file that the code is for' });
  return editor;
}
