/**
 * Notices that a file was changed on disk under unsaved text. The editor itself only says so when the user saves, and not even then if the
 * file still has its size.
 */
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore, Emitter, realPath } from '../../core/index.js';
import type { TextBase, UnsavedMemory } from '../window/windowMemory.js';

/** A file that is no longer as it was when the user began to change its text. */
export interface ChangedUnderText {
  /** As the editor calls it; absolute. */
  readonly path: string;
  /** All that it is called; absolute. */
  readonly names: readonly string[];
  /** When the user began, in milliseconds since the epoch. */
  readonly since: number;
}

export class UnsavedTexts implements Disposable {
  readonly #memory: UnsavedMemory;
  readonly #store = new DisposableStore();
  readonly #onChange = this.#store.add(new Emitter<void>());
  readonly #bases = new Map<string, TextBase>();
  /** Those from before a reload of the window, until the editor shows what became of the text. */
  readonly #restored: Map<string, TextBase>;
  /** What is being read. A file that is saved meanwhile is read again. */
  readonly #reading = new Map<string, object>();
  #changed: readonly ChangedUnderText[] = [];
  #looking: Promise<void> = Promise.resolve();

  constructor(memory: UnsavedMemory) {
    this.#memory = memory;
    this.#restored = new Map(Object.entries(memory.read()));
    const { workspace } = vscode;
    for (const document of workspace.textDocuments) this.#see(document);
    this.#store.add(workspace.onDidOpenTextDocument((document) => this.#see(document)));
    this.#store.add(
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        // Text that is restored becomes unsaved without a change.
        if (contentChanges.length > 0 && isFile(document)) this.#restored.delete(document.uri.fsPath);
        if (!document.isDirty) this.#forget(document);
        this.#see(document);
      }),
    );
    this.#store.add(
      workspace.onDidSaveTextDocument((document) => {
        this.#forget(document);
        // The user may be faster than the disk.
        this.#see(document);
      }),
    );
    this.#store.add(workspace.onDidCloseTextDocument((document) => this.#forget(document)));
  }

  /** Fires when `changed` is another one. */
  readonly onChange = this.#onChange.event;

  get changed(): readonly ChangedUnderText[] {
    return this.#changed;
  }

  /** Looks at the files on disk. Call this when they may have been changed. Never rejects. */
  look(): Promise<void> {
    return (this.#looking = this.#looking.then(() => this.#look()));
  }

  dispose(): void {
    this.#store.dispose();
  }

  async #look(): Promise<void> {
    const looked = [...this.#bases].map(async ([path, base]): Promise<readonly ChangedUnderText[]> => {
      const hash = await hashOf(path);
      if (hash === undefined || hash === base.hash) return [];
      const real = await realPath(path).catch(() => undefined);
      return [{ path, names: real === undefined ? [path] : [path, real], since: base.since }];
    });
    const changed = (await Promise.all(looked)).flat();
    this.#set(changed.filter(({ path, since }) => this.#bases.get(path)?.since === since));
  }

  #set(changed: readonly ChangedUnderText[]): void {
    const isSame = changed.map(({ path }) => path).join('\n') === this.#changed.map(({ path }) => path).join('\n');
    this.#changed = changed;
    if (!isSame) this.#onChange.fire();
  }

  /** Called for each key that is pressed. */
  #see(document: vscode.TextDocument): void {
    const { fsPath } = document.uri;
    if (document.isDirty && isFile(document) && !this.#bases.has(fsPath) && !this.#reading.has(fsPath)) void this.#begin(fsPath);
  }

  async #begin(path: string): Promise<void> {
    const restored = this.#restored.get(path);
    const reading = { since: Date.now() };
    this.#reading.set(path, reading);
    const hash = restored === undefined ? await hashOf(path) : restored.hash;
    if (this.#reading.get(path) !== reading) return;
    this.#reading.delete(path);
    // A file that is not on disk can't be changed there.
    if (hash === undefined) return;
    this.#restored.delete(path);
    this.#bases.set(path, restored ?? { hash, ...reading });
    this.#keep();
    if (restored !== undefined) await this.look();
  }

  #forget(document: vscode.TextDocument): void {
    if (!isFile(document)) return;
    const { fsPath } = document.uri;
    this.#reading.delete(fsPath);
    const hadBase = this.#bases.delete(fsPath);
    if (!this.#restored.delete(fsPath) && !hadBase) return;
    this.#keep();
    this.#set(this.#changed.filter(({ path }) => path !== fsPath));
  }

  #keep(): void {
    this.#memory.write(Object.fromEntries([...this.#restored, ...this.#bases]));
  }
}

/** Other versions of a file, such as that on the left of a comparison, have its path, too. */
function isFile({ uri }: vscode.TextDocument): boolean {
  return uri.scheme === 'file';
}

/** @returns undefined if the file can't be read */
async function hashOf(path: string): Promise<string | undefined> {
  return vscode.workspace.fs.readFile(vscode.Uri.file(path)).then(
    (bytes) => createHash('sha256').update(bytes).digest('hex'),
    () => undefined,
  );
}
