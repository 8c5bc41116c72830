import * as vscode from 'vscode';

/**
 * Returns the paths of the files that a command of the Explorer or of an editor's tab applies to; empty if it was invoked elsewhere.
 * @param argument what was clicked
 * @param selected everything that is selected, if that is more
 */
export function filesOf(argument: unknown, selected: unknown): readonly string[] {
  const uris: readonly unknown[] = Array.isArray(selected) && selected.length > 0 ? selected : [argument];
  return uris.flatMap((uri) => (uri instanceof vscode.Uri && uri.scheme === 'file' ? [uri.fsPath] : []));
}
