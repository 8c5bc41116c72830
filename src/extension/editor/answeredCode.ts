/** Brings code from an answer to the file that the user works in. */
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { HostError } from '../../core/index.js';
import type { Documents } from './documents.js';
import type { EditorInUse, PlaceInUse } from './editorInUse.js';
import { matchingLines } from './matchingLines.js';

/**
 * Inserts the code at the cursor, or replaces the selection, and shows the file. A single undo reverts it.
 * @throws HostError `usage` as EditorInUse.find, and if the file can't be edited
 */
export async function insertCode(text: string, inUse: Pick<EditorInUse, 'find'>): Promise<void> {
  const place = await inUse.find();
  await replace(place, place.selection, text);
}

/**
 * Replaces the selection, or else the lines that the code is a new version of. A single undo reverts it.
 * @throws HostError `usage` as EditorInUse.find, if the file has no such lines, and if it can't be edited
 */
export async function applyCode(text: string, inUse: Pick<EditorInUse, 'find'>): Promise<void> {
  const place = await inUse.find();
  if (!place.selection.isEmpty) return replace(place, place.selection, text);
  const match = matchIn(place, text);
  if (match === undefined)
    throw new HostError('usage', { detail: `${nameOf(place)} has no lines like these. Select what they replace, or insert them` });
  const { document } = place;
  await replace(place, document.validateRange(new vscode.Range(match.first, 0, match.end - 1, Infinity)), match.lines.join('\n'));
}

/**
 * Compares the code with the selection, or with the file in which it replaces the lines that it is a new version of, or with the whole file.
 * @throws HostError `usage` as EditorInUse.find
 */
export async function compareCode(text: string, inUse: Pick<EditorInUse, 'find'>, documents: Documents): Promise<void> {
  const place = await inUse.find();
  const { document, selection } = place;
  const match = selection.isEmpty ? matchIn(place, text) : undefined;
  const before = document.getText(selection.isEmpty ? undefined : selection);
  const lines = linesOf(before);
  const code = match === undefined ? text : lines.toSpliced(match.first, match.end - match.first, ...match.lines).join('\n');
  // A file usually ends with a line break, and the code of a block never does.
  const after = before.endsWith('\n') && !code.endsWith('\n') ? `${code}\n` : code;
  await documents.openDiff(document.fileName, before, after);
}

function matchIn({ document }: PlaceInUse, text: string): ReturnType<typeof matchingLines> {
  return matchingLines(linesOf(document.getText()), linesOf(text.replace(/^(?:[ \t]*\n)+|\s+$/g, '')));
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\n/);
}

async function replace(place: PlaceInUse, range: vscode.Range, text: string): Promise<void> {
  const { document, viewColumn } = place;
  const editor = await vscode.window.showTextDocument(document, { selection: range, ...(viewColumn === undefined ? {} : { viewColumn }) });
  const isDone = await editor.edit((edit) => edit.replace(range, text));
  if (!isDone) throw new HostError('usage', { detail: `${nameOf(place)} can't be edited` });
}

function nameOf({ document }: PlaceInUse): string {
  return basename(document.fileName);
}
