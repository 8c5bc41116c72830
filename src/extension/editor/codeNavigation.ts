/** The editor's knowledge of code, for an agent that the user lets ask. The core keeps it to the folder. */
import * as vscode from 'vscode';
import type { CodeLocation, CodeNavigation, TextPosition } from '../../core/index.js';
import { symbolsOf, toTextRange } from './symbols.js';

export const codeNavigation: CodeNavigation = {
  documentSymbols: (path) => symbolsOf(vscode.Uri.file(path)),
  definitions: (path, position) => locations('vscode.executeDefinitionProvider', path, position),
  typeDefinitions: (path, position) => locations('vscode.executeTypeDefinitionProvider', path, position),
};

async function locations(command: string, path: string, { line, character }: TextPosition): Promise<readonly CodeLocation[]> {
  const found = await vscode.commands.executeCommand<readonly (vscode.Location | vscode.LocationLink)[] | undefined>(
    command,
    vscode.Uri.file(path),
    new vscode.Position(line, character),
  );
  return (found ?? []).flatMap((one) => {
    const [uri, range] = 'targetUri' in one ? [one.targetUri, one.targetRange] : [one.uri, one.range];
    return uri.scheme === 'file' ? [{ path: uri.fsPath, range: toTextRange(range) }] : [];
  });
}
