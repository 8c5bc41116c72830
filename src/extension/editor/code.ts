/** What the editor knows about code, for an agent that the user allows to ask. The core limits it to the folder. */
import * as vscode from 'vscode';
import { commandOf, titleOf } from '../../contract/userActions.js';
import {
  type CodeDiagnostic,
  type CodeLocation,
  type CodeNavigation,
  type CodeSymbol,
  type CodeTask,
  type CodeTaskKind,
  type Disposable,
  HostError,
  type OpenEditor,
  type TextPosition,
  type TextRange,
  wholeRange,
} from '../../core/index.js';

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
async function symbolsOf(uri: vscode.Uri): Promise<readonly CodeSymbol[]> {
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

function toRange({ start, end }: TextRange): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

function toSymbol(symbol: vscode.DocumentSymbol | vscode.SymbolInformation): CodeSymbol {
  const range = 'range' in symbol ? symbol.range : symbol.location.range;
  const children = 'children' in symbol ? symbol.children.map(toSymbol) : [];
  return { name: symbol.name, kind: vscode.SymbolKind[symbol.kind], range: toTextRange(range), children };
}

// Tasks on code: how they are offered, and the code for one: the selection, else the function around the cursor, else the file.

const kind = vscode.CodeActionKind.RefactorRewrite.append('acpHost');
const rewriting = ['documentCode', 'optimizeCode', 'testCode'] as const;

/** Offers the tasks on selected code in the editor's own code action menu. */
export function registerCodeActions(): Disposable {
  return vscode.languages.registerCodeActionsProvider(
    { scheme: 'file' },
    {
      provideCodeActions(_document, range, { diagnostics }) {
        if (range.isEmpty && diagnostics.length === 0) return [];
        const fix = actionFor('fixCode', diagnostics.length > 0 ? vscode.CodeActionKind.QuickFix : kind);
        if (range.isEmpty) return [fix];
        return [actionFor('explainCode', kind), fix, ...rewriting.map((name) => actionFor(name, kind))];
      },
    },
    { providedCodeActionKinds: [kind, vscode.CodeActionKind.QuickFix] },
  );
}

function actionFor(name: (typeof rewriting)[number] | 'explainCode' | 'fixCode', of: vscode.CodeActionKind): vscode.CodeAction {
  const title = `${titleOf(name)} with ACP Host`;
  const action = new vscode.CodeAction(title, of);
  action.command = { title, command: commandOf(name) ?? '' };
  return action;
}

/** @throws HostError `usage` if no file is open */
export async function codeTaskHere(kind: CodeTaskKind): Promise<CodeTask> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme !== 'file') throw new HostError('usage', { detail: 'Open a file first, and select the code to work on' });
  const { document, selection, visibleRanges } = editor;
  const symbols = await symbolsOf(document.uri);
  const around = callablesIn(symbols).filter(({ range }) => toRange(range).contains(selection));
  const range = selection.isEmpty ? (around.at(-1)?.range ?? wholeRange(document.getText())) : toTextRange(selection);
  const selected = toRange(range);
  const inside = callablesIn(symbols).filter((symbol) => selected.contains(toRange(symbol.range)));
  const [visible] = visibleRanges;
  return {
    kind,
    uri: document.uri.toString(),
    selected: { range, text: document.getText(selected) },
    ...(visible === undefined ? {} : { visible: { range: toTextRange(visible), text: document.getText(visible) } }),
    whole: document.getText(),
    symbols: inside.length > 0 ? inside.slice(0, 1) : around.slice(-1),
  };
}

const callableKinds: ReadonlySet<string> = new Set(['Function', 'Method', 'Constructor']);

/** Returns outer symbols before those inside them. */
function callablesIn(symbols: readonly CodeSymbol[]): readonly CodeSymbol[] {
  return symbols.flatMap((symbol) => [...(callableKinds.has(symbol.kind) ? [symbol] : []), ...callablesIn(symbol.children)]);
}
