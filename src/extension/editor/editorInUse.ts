import { basename, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { type Disposable, HostError } from '../../core/index.js';

/** A place in a file, visible or not. */
export interface PlaceInUse {
  readonly document: vscode.TextDocument;
  readonly selection: vscode.Selection;
  /** The group of editors with the file. */
  readonly viewColumn: vscode.ViewColumn | undefined;
}

/** Finds the file that the user works in, also while a conversation in the same group of editors covers it. */
export class EditorInUse implements Disposable {
  #last: vscode.TextEditor | undefined;
  readonly #listening: vscode.Disposable;

  constructor() {
    this.#note(vscode.window.activeTextEditor);
    this.#listening = vscode.window.onDidChangeActiveTextEditor((editor) => this.#note(editor));
  }

  /** @throws HostError `usage` if no file is open, or if several are and none of them was used in this window */
  async find(): Promise<PlaceInUse> {
    const { activeTextEditor, visibleTextEditors } = vscode.window;
    const found = [activeTextEditor, ...visibleTextEditors].find(isOfFile) ?? (await this.#covered());
    if (found === undefined) throw new HostError('usage', { detail: 'First open the file that the code is for' });
    return found;
  }

  /**
   * Moves the keyboard focus to the editors.
   * @param covered the conversation in the active tab covers the file that the user works in
   */
  async focus({ covered }: { readonly covered: boolean }): Promise<void> {
    const place = covered ? await this.find().catch(() => undefined) : undefined;
    if (place === undefined) await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
    else {
      const { document, selection, viewColumn } = place;
      await vscode.window.showTextDocument(document, { selection, ...(viewColumn === undefined ? {} : { viewColumn }) });
    }
  }

  dispose(): void {
    this.#listening.dispose();
  }

  #note(editor: vscode.TextEditor | undefined): void {
    if (isOfFile(editor)) this.#last = editor;
  }

  async #covered(): Promise<PlaceInUse | undefined> {
    const tabs = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .flatMap(({ input, group }) => (input instanceof vscode.TabInputText ? [{ uri: input.uri, viewColumn: group.viewColumn }] : []))
      .filter(({ uri }) => isFile(uri));
    const last = this.#last;
    const used = tabs.find(({ uri }) => uri.toString() === last?.document.uri.toString());
    const tab = used ?? (tabs.length === 1 ? tabs[0] : undefined);
    if (tab === undefined) return undefined;
    const document = await vscode.workspace.openTextDocument(tab.uri);
    // An editor that was hidden keeps its selection. The file may have become shorter.
    const { anchor, active } = used === undefined || last === undefined ? startOfFile : last.selection;
    const selection = new vscode.Selection(document.validatePosition(anchor), document.validatePosition(active));
    return { document, selection, viewColumn: tab.viewColumn };
  }
}

const startOfFile = { anchor: new vscode.Position(0, 0), active: new vscode.Position(0, 0) };

function isOfFile(editor: vscode.TextEditor | undefined): editor is vscode.TextEditor {
  return editor !== undefined && isFile(editor.document.uri);
}

function isFile({ scheme }: vscode.Uri): boolean {
  return scheme === 'file' || scheme === 'untitled';
}

// The line at the cursor, for questions about what is recorded of its file.

export interface LineHere {
  /** The folder of the window that has the file; absolute. */
  readonly cwd: string;
  /** Relative to the folder, with `/`. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** All of the file, with what is not saved. */
  readonly text: string;
}

/**
 * @param uri of an open file, and its line; absent: the active editor, and its cursor
 * @throws HostError `usage` if no file is open, or one of no folder
 */
export function lineHere(uri?: string, line?: number): LineHere {
  const editor = vscode.window.activeTextEditor;
  const named = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri);
  const document = uri === undefined ? editor?.document : named;
  if (document?.uri.scheme !== 'file') throw new HostError('usage', { detail: 'Open a file first, and put the cursor on the line' });
  const place = lineOf(document, line ?? (editor?.selection.active.line ?? 0) + 1);
  if (place === undefined)
    throw new HostError('usage', {
      detail: `${basename(document.uri.fsPath)} is in no folder of this window, and changes are recorded by folder`,
    });
  return place;
}

/** @param line 1-based @returns undefined for a file of no folder */
export function lineOf(document: vscode.TextDocument, line: number): LineHere | undefined {
  const cwd = vscode.workspace.getWorkspaceFolder(document.uri)?.uri.fsPath;
  if (cwd === undefined) return undefined;
  return { cwd, path: relative(cwd, document.uri.fsPath).replaceAll(sep, '/'), line, text: document.getText() };
}
