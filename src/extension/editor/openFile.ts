import * as vscode from 'vscode';
import { type Chip, type Disposable, DisposableStore, Emitter } from '../../core/index.js';
import { isWithin } from './fileChip.js';
import { type ChipFacts, chipFacts, chipIn } from './selection.js';

/** Follows the file that is open in the editor, and what is selected in it, also while the chat has the keyboard focus. */
export class OpenFile implements Disposable {
  readonly #store = new DisposableStore();
  readonly #onChange = this.#store.add(new Emitter<void>());
  #last: vscode.TextEditor | undefined;
  /** What was open and selected at the last event. */
  #seen: string | undefined;

  constructor() {
    const { window } = vscode;
    this.#look();
    this.#store.add(window.onDidChangeActiveTextEditor(() => this.#look()));
    this.#store.add(window.onDidChangeVisibleTextEditors(() => this.#look()));
    this.#store.add(window.onDidChangeTextEditorSelection(() => this.#look()));
  }

  /** Fires when another file was opened, or something else was selected. */
  readonly onChange = this.#onChange.event;

  /** @param cwd absolute @returns undefined if no file of this folder is visible */
  facts(cwd: string): ChipFacts | undefined {
    const editor = this.#editorIn(cwd);
    return editor && chipFacts(editor, cwd);
  }

  /** Returns what `facts` describes, with its content: the selected text, else a link to the file. */
  chip(cwd: string): Chip | undefined {
    const editor = this.#editorIn(cwd);
    return editor && chipIn(editor, cwd, 'link');
  }

  dispose(): void {
    this.#store.dispose();
  }

  #editorIn(cwd: string): vscode.TextEditor | undefined {
    const editor = this.#last;
    return editor !== undefined && isWithin(cwd, editor.document.uri.fsPath) ? editor : undefined;
  }

  #look(): void {
    const { activeTextEditor, visibleTextEditors } = vscode.window;
    // While a page is the active editor, no text editor is.
    const last = visibleTextEditors.find((editor) => editor === this.#last);
    this.#last = [activeTextEditor, last, ...visibleTextEditors].find((editor) => editor?.document.uri.scheme === 'file');
    const seen = this.#last === undefined ? undefined : JSON.stringify(chipFacts(this.#last, ''));
    if (seen === this.#seen) return;
    this.#seen = seen;
    this.#onChange.fire();
  }
}
