/** What the editor knows about code, for an agent that the user allows to ask. The core limits it to the folder. */
import * as vscode from 'vscode';
import type { CodeDiagnostic, CodeLocation, CodeNavigation, CodeSymbol, OpenEditor, TextPosition, TextRange } from '../../core/index.js';

export const codeNavigation: CodeNavigation = {
  documentSymbols: async (path) => symbolsOf(await known(path)),
  definitions: (path, position) => locations('vscode.executeDefinitionProvider', path, position),
  typeDefinitions: (path, position) => locations('vscode.executeTypeDefinitionProvider', path, position),
  references: (path, position) => locations('vscode.executeReferenceProvider', path, position),
  diagnostics: () => Promise.resolve(diagnostics()),
  openEditors: () => Promise.resolve(openEditors()),
};

const severities: Readonly<Record<vscode.DiagnosticSeverity, CodeDiagnostic['severity']>> = {
  [vscode.DiagnosticSeverity.Error]: 'error',
  [vscode.DiagnosticSeverity.Warning]: 'warning',
  [vscode.DiagnosticSeverity.Information]: 'information',
  [vscode.DiagnosticSeverity.Hint]: 'hint',
};

function diagnostics(): readonly CodeDiagnostic[] {
  return vscode.languages.getDiagnostics().flatMap(([uri, found]) =>
    uri.scheme === 'file'
      ? found.map(({ range, severity, message, source }) => ({
          path: uri.fsPath,
          range: toTextRange(range),
          severity: severities[severity],
          message,
          ...(source === undefined ? {} : { source }),
        }))
      : [],
  );
}

function openEditors(): readonly OpenEditor[] {
  const active = vscode.window.tabGroups.activeTabGroup.activeTab;
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.flatMap((tab) =>
    tab.input instanceof vscode.TabInputText && tab.input.uri.scheme === 'file'
      ? [{ path: tab.input.uri.fsPath, isActive: tab === active, hasUnsavedChanges: tab.isDirty }]
      : [],
  );
}

/** Extensions for a language start when the first file of it is opened, visible or not. */
async function known(path: string): Promise<vscode.Uri> {
  return (await vscode.workspace.openTextDocument(vscode.Uri.file(path))).uri;
}

async function locations(command: string, path: string, { line, character }: TextPosition): Promise<readonly CodeLocation[]> {
  const found = await vscode.commands.executeCommand<readonly (vscode.Location | vscode.LocationLink)[] | undefined>(
    command,
    await known(path),
    new vscode.Position(line, character),
  );
  return (found ?? []).flatMap((one) => {
    const [uri, range, name] = 'targetUri' in one ? [one.targetUri, one.targetRange, one.targetSelectionRange] : [one.uri, one.range];
    if (uri.scheme !== 'file') return [];
    return [{ path: uri.fsPath, range: toTextRange(range), ...(name && { nameRange: toTextRange(name) }) }];
  });
}

/** What the extensions for a language know about a file. @returns an empty list if no extension knows the language */
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
