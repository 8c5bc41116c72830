/** Tasks on code: how they are offered, and the code for one: the selection, else the function around the cursor, else the file. */
import * as vscode from 'vscode';
import { type CodeSymbol, type CodeTask, type CodeTaskKind, type Disposable, HostError, wholeRange } from '../../core/index.js';
import { symbolsOf, toRange, toTextRange } from './codeNavigation.js';
import { commandOf, titleOf } from '../../contract/userActions.js';

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
