/** The lenses above what is to be reviewed in a file. */
import * as vscode from 'vscode';
import type { Action } from '../../contract/actions.js';
import { commandOf } from '../../contract/userActions.js';
import { type Disposable, DisposableStore } from '../../core/index.js';
import type { FilesToReview } from './filesToReview.js';

const lenses: readonly (readonly [action: Action, title: string])[] = [
  ['undoHunk', 'Undo'],
  ['commentHunk', 'Comment'],
  ['reviewHunk', 'Reviewed'],
];

export interface HunkLenses extends Disposable {
  /** Call this when `isWanted` may have changed. */
  refresh(): void;
}

export function createHunkLenses(files: FilesToReview, isWanted: (uri: vscode.Uri) => boolean): HunkLenses {
  const store = new DisposableStore();
  const onChange = store.add(new vscode.EventEmitter<void>());
  store.add(files.onChange(() => onChange.fire()));
  store.add(
    vscode.languages.registerCodeLensProvider(
      { scheme: 'file' },
      {
        onDidChangeCodeLenses: onChange.event,
        async provideCodeLenses(document) {
          const reviewed = isWanted(document.uri) ? files.find(document.uri) : undefined;
          const hunks = reviewed === undefined ? [] : await files.hunksOf(reviewed, document);
          return hunks.flatMap(({ line, name }) => {
            const at = Math.min(line, document.lineCount - 1);
            return lenses.map(
              ([action, title]) =>
                new vscode.CodeLens(new vscode.Range(at, 0, at, 0), {
                  command: commandOf(action) ?? '',
                  title,
                  arguments: [document.uri.toString(), name],
                }),
            );
          });
        },
      },
    ),
  );
  return { refresh: () => onChange.fire(), dispose: () => store.dispose() };
}
