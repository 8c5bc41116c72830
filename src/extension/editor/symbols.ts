/** Maps what the extensions for a language know about a file to the core's types. */
import * as vscode from 'vscode';
import type { CodeSymbol, TextRange } from '../../core/index.js';

/** @returns an empty list if no extension knows the language */
export async function symbolsOf(uri: vscode.Uri): Promise<readonly CodeSymbol[]> {
  const found = await vscode.commands.executeCommand<readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined>(
    'vscode.executeDocumentSymbolProvider',
    uri,
  );
  return (found ?? []).map(toSymbol);
}

export function toTextRange({ start, end }: vscode.Range): TextRange {
  return {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
}

export function toRange({ start, end }: TextRange): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

function toSymbol(symbol: vscode.DocumentSymbol | vscode.SymbolInformation): CodeSymbol {
  const range = 'range' in symbol ? symbol.range : symbol.location.range;
  const children = 'children' in symbol ? symbol.children.map(toSymbol) : [];
  return { name: symbol.name, kind: vscode.SymbolKind[symbol.kind], range: toTextRange(range), children };
}
