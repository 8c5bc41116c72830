/** Brings code from an answer to the file that the user works in. */
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { HostError } from '../../core/index.js';
import type { Documents } from './documents.js';
import type { EditorInUse } from './editorInUse.js';

/**
 * Inserts the code at the cursor, or replaces the selection, and shows the file. A single undo reverts it.
 * @throws HostError `usage` as EditorInUse.find, and if the file can't be edited
 */
export async function insertCode(text: string, inUse: Pick<EditorInUse, 'find'>): Promise<void> {
  const { document, selection, viewColumn } = await inUse.find();
  const editor = await vscode.window.showTextDocument(document, { selection, ...(viewColumn === undefined ? {} : { viewColumn }) });
  const isDone = await editor.edit((edit) => edit.replace(selection, text));
  if (!isDone) throw new HostError('usage', { detail: `${basename(document.fileName)} can't be edited` });
}

/**
 * Compares the code with the selection, or with the whole file.
 * @throws HostError `usage` as EditorInUse.find
 */
export async function compareCode(text: string, inUse: Pick<EditorInUse, 'find'>, documents: Documents): Promise<void> {
  const { document, selection } = await inUse.find();
  const before = document.getText(selection.isEmpty ? undefined : selection);
  // A file usually ends with a line break, and the code of a block never does.
  const after = before.endsWith('\n') && !text.endsWith('\n') ? `${text}\n` : text;
  await documents.openDiff(document.fileName, before, after);
}
