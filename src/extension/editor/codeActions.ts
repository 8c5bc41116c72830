/** Offers the tasks on selected code in the editor's own code action menu. */
import * as vscode from 'vscode';
import { commandOf, titleOf } from '../../contract/userActions.js';
import type { Disposable } from '../../core/index.js';

const kind = vscode.CodeActionKind.RefactorRewrite.append('acpHost');
const rewriting = ['documentCode', 'optimizeCode', 'testCode'] as const;

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
