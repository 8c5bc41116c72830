/** The files that open requests are about, as they are now: the text in the editor if it is not saved, otherwise what is on the disk. */
import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { createFileAccess, type Disposable, DisposableStore, Emitter, type FileText, nearestRealPathNow } from '../../core/index.js';

interface Known {
  readonly folder: string;
  readonly text: FileText | undefined;
}

export class RequestFiles implements Disposable {
  readonly #store = new DisposableStore();
  readonly #onChange = this.#store.add(new Emitter<void>());
  /** By their paths. */
  readonly #known = new Map<string, Known>();
  /** By their folders. */
  readonly #watchers = new Map<string, vscode.FileSystemWatcher>();
  #revision = 0;

  constructor() {
    const { workspace } = vscode;
    this.#store.add(workspace.onDidChangeTextDocument(({ document }) => this.#look(document.uri)));
    this.#store.add(workspace.onDidSaveTextDocument(({ uri }) => this.#look(uri)));
    this.#store.add(workspace.onDidCloseTextDocument(({ uri }) => this.#look(uri)));
  }

  /** Fires when one of the files has another text. */
  readonly onChange = this.#onChange.event;

  /** Changes whenever one of the files has another text. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * @param folder that of the session, absolute: no other file is read
   * @param path absolute
   * @returns undefined if the text can't be shown
   */
  textOf(folder: string, path: string): FileText | undefined {
    const known = this.#known.get(path);
    if (known?.folder === folder) return known.text;
    const text = readText(folder, path);
    this.#known.set(path, { folder, text });
    this.#watch(dirname(path));
    return text;
  }

  /** Reads the files again. Call this before a decision: a change may not be noticed at once. */
  refresh(): void {
    for (const path of this.#known.keys()) this.#read(path);
  }

  /** Call this when no request is open. */
  release(): void {
    this.#known.clear();
    for (const watcher of this.#watchers.values()) watcher.dispose();
    this.#watchers.clear();
  }

  dispose(): void {
    this.release();
    this.#store.dispose();
  }

  /** The editor may know the file by another path. */
  #look({ scheme, fsPath }: vscode.Uri): void {
    if (scheme !== 'file' || this.#known.size === 0) return;
    const name = basename(fsPath);
    for (const path of this.#known.keys()) if (basename(path) === name) this.#read(path);
  }

  #read(path: string): void {
    const known = this.#known.get(path);
    if (known === undefined) return;
    const text = readText(known.folder, path);
    if (isSame(text, known.text)) return;
    this.#known.set(path, { ...known, text });
    this.#revision++;
    this.#onChange.fire();
  }

  #watch(folder: string): void {
    if (this.#watchers.has(folder)) return;
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(vscode.Uri.file(folder), '*'));
    const look = ({ fsPath }: vscode.Uri): void => this.#read(join(folder, basename(fsPath)));
    watcher.onDidChange(look);
    watcher.onDidCreate(look);
    watcher.onDidDelete(look);
    this.#watchers.set(folder, watcher);
  }
}

/** Shows the file on disk on the left, and the unsaved text on the right. @param path absolute */
export async function compareWithSaved(path: string): Promise<void> {
  // Takes the file as an argument: microsoft/vscode src/vs/workbench/contrib/files/browser/fileCommands.ts.
  const uri = unsavedDocument(path)?.uri ?? vscode.Uri.file(path);
  await vscode.commands.executeCommand('workbench.files.action.compareWithSaved', uri);
}

function readText(folder: string, path: string): FileText | undefined {
  // Also says whether the file may be read.
  const saved = createFileAccess(folder).peekNow(path);
  if (saved === undefined) return undefined;
  const document = unsavedDocument(path);
  if (document === undefined) return { text: saved };
  return { text: document.getText(), isUnsaved: true, ...(saved === null ? {} : { saved: saved.replace(/^\uFEFF/, '') }) };
}

function unsavedDocument(path: string): vscode.TextDocument | undefined {
  const unsaved = vscode.workspace.textDocuments.filter(({ uri, isDirty }) => uri.scheme === 'file' && isDirty);
  const real = unsaved.length === 0 ? undefined : keyOf(path);
  return unsaved.find(({ uri }) => keyOf(uri.fsPath) === real);
}

/** The same for every name of a file. The editor has its own form of the name of a drive. */
function keyOf(path: string): string {
  try {
    return vscode.Uri.file(nearestRealPathNow(path)).fsPath;
  } catch {
    // A path that can't be followed has no other name.
    return path;
  }
}

function isSame(one: FileText | undefined, other: FileText | undefined): boolean {
  return one?.text === other?.text && one?.isUnsaved === other?.isUnsaved && one?.saved === other?.saved;
}
