/** What the user selected in the editor, for the chat. */
import * as vscode from 'vscode';
import { type Chip, HostError } from '../../core/index.js';
import { pathFrom } from './fileChip.js';

/**
 * Uses the whole file if there is no selection.
 * @param cwd the folder of the conversation, absolute
 * @throws HostError `usage` if no text editor is active
 */
export function selectionChip(cwd: string): Chip {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) throw new HostError('usage', { detail: 'Open a file first, and select what the agent should see' });
  const { document, selection } = editor;
  const { uri } = document;
  const path = uri.scheme === 'file' ? pathFrom(cwd, uri.fsPath) : vscode.workspace.asRelativePath(uri, false);
  const name = path.split(/[\\/]/).at(-1) ?? path;
  const { start, end } = selection;
  // A selection that ends at the beginning of a line contains nothing of that line.
  const [firstLine, lastLine] = selection.isEmpty ? [1, document.lineCount] : [start.line + 1, end.line + (end.character === 0 ? 0 : 1)];
  const range = selection.isEmpty ? '' : firstLine === lastLine ? `:${firstLine}` : `:${firstLine}–${lastLine}`;
  const text = document.getText(selection.isEmpty ? undefined : selection);
  return {
    id: `${path}${range}`,
    label: `${name}${range}`,
    title: `${path}${range}`,
    content: { type: 'text', text: `From ${path}, lines ${firstLine} to ${lastLine}:\n${fenced(text, document.languageId)}` },
  };
}

/** Returns the text in a fence that is longer than any in it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
