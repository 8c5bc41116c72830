import { basename, relative } from 'node:path';
import * as vscode from 'vscode';
import {
  type Chip,
  codeBlock,
  codeUri,
  type ContentBlock,
  type Disposable,
  DisposableStore,
  Emitter,
  HostError,
  pictureType,
  isWithin,
} from '../../core/index.js';
import { toTextRange } from './code.js';
import { largestPictureBytes } from './workspaceFiles.js';

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

/**
 * What the user selected in the editor. Uses the whole file if there is no selection: a link for the agent to follow, or the text if it is not saved.
 * @param cwd the folder of the conversation, absolute
 * @throws HostError `usage` if no text editor is active
 */
export function selectionChip(cwd: string): Chip {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) throw new HostError('usage', { detail: 'Open a file first, and select what the agent should see' });
  const { uri, isDirty } = editor.document;
  return chipIn(editor, cwd, uri.scheme === 'file' && !isDirty ? 'link' : 'text');
}

/** What is visible of a chip. */
export type ChipFacts = Pick<Chip, 'id' | 'label' | 'title'>;

/** The ids are those of all chips for the same file or selection. */
function chipFacts({ document, selection }: Pick<vscode.TextEditor, 'document' | 'selection'>, cwd: string): ChipFacts {
  const path = pathOf(document, cwd);
  const uri = document.uri.toString();
  const range = rangeText(selection);
  return {
    id: selection.isEmpty ? uri : codeUri(uri, toTextRange(selection)),
    label: `${basename(path)}${range}`,
    title: `${path}${range}`,
  };
}

/** @param whole what stands for the whole file */
function chipIn(editor: Pick<vscode.TextEditor, 'document' | 'selection'>, cwd: string, whole: 'link' | 'text'): Chip {
  const { document, selection } = editor;
  const facts = chipFacts(editor, cwd);
  if (selection.isEmpty && whole === 'link')
    return { ...facts, content: { type: 'resource_link', uri: document.uri.toString(), name: facts.label } };
  if (selection.isEmpty)
    return { ...facts, content: { type: 'resource', resource: { uri: document.uri.toString(), text: document.getText() } } };
  const piece = { range: toTextRange(selection), text: document.getText(selection) };
  return { ...facts, content: codeBlock(document.uri.toString(), piece) };
}

function pathOf({ uri }: vscode.TextDocument, cwd: string): string {
  return uri.scheme === 'file' ? pathFrom(cwd, uri.fsPath) : vscode.workspace.asRelativePath(uri, false);
}

/** 1-based. A selection that ends at the beginning of a line contains nothing of that line. */
function linesOf({ start, end }: vscode.Selection): readonly [number, number] {
  return [start.line + 1, end.line + (end.character === 0 ? 0 : 1)];
}

function rangeText(selection: vscode.Selection): string {
  if (selection.isEmpty) return '';
  const [firstLine, lastLine] = linesOf(selection);
  return firstLine === lastLine ? `:${firstLine}` : `:${firstLine}–${lastLine}`;
}

// Files and pictures that the user adds to a message.

/** @param extension without the dot */
type SavePicture = (bytes: Uint8Array, extension: string) => Promise<{ readonly uri: string }>;

/**
 * A picture is sent to agents that accept pictures; any other file or folder is a link that the agent follows itself.
 * @param path absolute; the user chose it
 * @param cwd the folder of the conversation, absolute
 * @throws HostError `usage` if there is no such file
 */
export async function fileChip(path: string, cwd: string): Promise<Chip> {
  const file = vscode.Uri.file(path);
  return { id: file.toString(), label: basename(path), title: pathFrom(cwd, path), content: await contentOf(file) };
}

/**
 * Returns the path as an agent that works in the folder knows it.
 * @param path absolute
 */
function pathFrom(cwd: string, path: string): string {
  return isWithin(cwd, path) ? relative(cwd, path) || path : path;
}

async function contentOf(file: vscode.Uri): Promise<ContentBlock> {
  const uri = file.toString();
  const name = basename(file.fsPath);
  const { type, size } = await vscode.workspace.fs.stat(file).then(
    (facts) => facts,
    () => {
      throw new HostError('usage', { detail: `${file.fsPath} doesn't exist or can't be read` });
    },
  );
  if ((type & vscode.FileType.Directory) !== 0) return { type: 'resource_link', uri, name };
  if (/\.(png|jpe?g|gif|webp)$/i.test(name) && size <= largestPictureBytes) {
    const bytes = await vscode.workspace.fs.readFile(file);
    const mimeType = pictureType(bytes);
    if (mimeType !== undefined) return { type: 'image', mimeType, data: Buffer.from(bytes).toString('base64'), uri };
  }
  return { type: 'resource_link', uri, name, size };
}

/**
 * The picture is saved, so that it can be opened, and so that an agent that accepts no pictures gets a link to the file.
 * @param url `data:` with a picture that the user pasted
 * @param save saves it
 * @throws HostError `usage` for anything but a picture that is small enough
 */
export async function imageChip(url: string, save: SavePicture): Promise<Chip> {
  const data = /^data:image\/[\w.+-]+;base64,([\w+/]+=*)$/.exec(url)?.[1] ?? '';
  const bytes = Buffer.from(data, 'base64');
  const mimeType = bytes.length > largestPictureBytes ? undefined : pictureType(bytes);
  if (mimeType === undefined) throw new HostError('usage', { detail: 'You can add PNG, JPEG, GIF and WebP images of up to 4 MB' });
  const { uri } = await save(bytes, mimeType.slice('image/'.length));
  return { id: uri, label: 'Image', title: 'Pasted image', content: { type: 'image', mimeType, data, uri } };
}
