/**
 * The texts of files that are open in the editor, for an engine that works with the files on disk. Paths are absolute, and may lead over
 * symbolic links. As in the editor, texts are without a byte order mark.
 */
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { type Disposable, realPath, isWithin } from '../../core/index.js';

export const openTexts = {
  /** @returns the texts of those files that are open with unsaved changes, by their paths */
  async unsaved(paths: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const documents = await openDocuments();
    const found = await Promise.all(
      paths.map(async (path): Promise<[string, string][]> => {
        const document = documents.get(await keyOf(path));
        return document?.isDirty === true ? [[path, document.getText()]] : [];
      }),
    );
    return Object.fromEntries(found.flat());
  },
  /**
   * Changes those files that are open, as one step that the user can undo, and saves those without unsaved changes.
   * @param texts by path
   * @param saves saves those with unsaved changes, too
   * @returns the paths that are as they should be; the others are for the disk, from which the editor reads them again
   */
  async edit(texts: Readonly<Record<string, string>>, saves = false): Promise<readonly string[]> {
    const documents = await openDocuments();
    const edit = new vscode.WorkspaceEdit();
    const edited: { readonly path: string; readonly document: vscode.TextDocument; readonly text: string; readonly mustSave: boolean }[] =
      [];
    for (const [path, text] of Object.entries(texts)) {
      const document = documents.get(await keyOf(path));
      if (document === undefined || !(document.isDirty || (await isExact(document, text)))) continue;
      const wanted = inLineEndings(text, endingOf(document));
      if (!replaceText(edit, document, wanted) && !document.isDirty) continue;
      edited.push({ path, document, text: wanted, mustSave: saves || !document.isDirty });
    }
    if (edit.size > 0 && !(await vscode.workspace.applyEdit(edit))) return [];
    const isDone = await Promise.all(
      // What is done to a file when it is saved, such as formatting, would be a change that nobody asked for.
      edited.map(async ({ document, text, mustSave }) => !mustSave || ((await save(document)) && document.getText() === text)),
    );
    return edited.flatMap(({ path }, index) => (isDone[index] === true ? [path] : []));
  },
};

/** A file that is open with unsaved changes. */
export interface UnsavedFile {
  /** Without its folder. */
  readonly name: string;
  readonly document: vscode.TextDocument;
}

/** @param uris of files, and of folders with files */
export async function unsavedIn(uris: readonly string[]): Promise<readonly UnsavedFile[]> {
  const named = await Promise.all(uris.flatMap((uri) => pathOf(uri) ?? []).map(keyOf));
  return [...(await openDocuments())].flatMap(([key, document]) =>
    document.isDirty && named.some((path) => isWithin(path, key)) ? [{ name: basename(key), document }] : [],
  );
}

/** @returns those that could not be saved */
export async function saveAll(files: readonly UnsavedFile[]): Promise<readonly UnsavedFile[]> {
  const isSaved = await Promise.all(files.map(({ document }) => save(document)));
  return files.filter((_, index) => isSaved[index] === false);
}

/**
 * Saves exactly these files.
 * @param paths absolute
 * @returns whether all of them are saved now
 */
export async function saveFiles(paths: readonly string[]): Promise<boolean> {
  const files = await unsavedIn(paths.map((path) => vscode.Uri.file(path).toString()));
  return (await saveAll(files)).length === 0;
}

/** Calls back with the absolute path, without symbolic links, of each file that is saved in this window. */
export function watchSaves(onSaved: (path: string) => void): Disposable {
  return vscode.workspace.onDidSaveTextDocument(({ uri }) => {
    if (uri.scheme === 'file') void realOf(uri.fsPath).then(onSaved);
  });
}

/** Replaces only what differs. @returns false if nothing does */
export function replaceText(edit: vscode.WorkspaceEdit, document: vscode.TextDocument, text: string): boolean {
  const change = changedRange(document.getText(), text);
  if (change === undefined) return false;
  edit.replace(document.uri, new vscode.Range(document.positionAt(change.start), document.positionAt(change.end)), change.text);
  return true;
}

/** @returns whether it is saved */
export async function save(document: vscode.TextDocument): Promise<boolean> {
  return document.save().then(
    (isSaved) => isSaved,
    () => false,
  );
}

/** Whether the file would have exactly this text if it was the document's: its bytes have no other form, and no other program changed it. */
async function isExact(document: vscode.TextDocument, text: string): Promise<boolean> {
  const hasOwnForm = !/^utf8(?:bom)?$/.test(document.encoding) || text.includes('\uFFFD');
  if (hasOwnForm || inLineEndings(text, endingOf(document)) !== text) return false;
  const saved = await vscode.workspace.fs.readFile(document.uri).then(
    (bytes) => Buffer.from(bytes).toString('utf8'),
    () => undefined,
  );
  return saved?.replace(/^\uFEFF/, '') === document.getText();
}

function endingOf({ eol }: vscode.TextDocument): '\n' | '\r\n' {
  return eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
}

/** By `keyOf` their paths. */
async function openDocuments(): Promise<ReadonlyMap<string, vscode.TextDocument>> {
  const documents = vscode.workspace.textDocuments.filter(({ uri, isClosed }) => uri.scheme === 'file' && !isClosed);
  return new Map(await Promise.all(documents.map(async (document) => [await keyOf(document.uri.fsPath), document] as const)));
}

/** @returns undefined for anything but a file */
function pathOf(uri: string): string | undefined {
  try {
    const { scheme, fsPath } = vscode.Uri.parse(uri);
    return scheme === 'file' ? fsPath : undefined;
  } catch {
    return undefined;
  }
}

async function realOf(path: string): Promise<string> {
  return (await realPath(path).catch(() => undefined)) ?? path;
}

/** The same for every name of a file. The editor has its own form of the name of a drive. */
async function keyOf(path: string): Promise<string> {
  return vscode.Uri.file(await realOf(path)).fsPath;
}

/** Finds the part of a text that has to be replaced. Pure. */

export interface ChangedRange {
  /** In UTF-16 code units of the earlier text. */
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly text: string;
}

/** @returns the only part that differs; undefined if the texts are equal. Line breaks and pairs of surrogates stay whole. */
export function changedRange(before: string, after: string): ChangedRange | undefined {
  if (before === after) return undefined;
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  if (isInside(before, start) || isInside(after, start)) start--;
  let same = 0;
  while (same < most - start && before.charCodeAt(before.length - same - 1) === after.charCodeAt(after.length - same - 1)) same++;
  if (isInside(before, before.length - same) || isInside(after, after.length - same)) same--;
  return { start, end: before.length - same, text: after.slice(start, after.length - same) };
}

/** Whether the two code units around a position belong together. */
function isInside(text: string, at: number): boolean {
  return /^(?:\r\n|[\ud800-\udbff][\udc00-\udfff])$/.test(text.slice(Math.max(0, at - 1), at + 1));
}

/** Returns the text with these line endings only. */
export function inLineEndings(text: string, ending: '\n' | '\r\n'): string {
  return text.replaceAll(/\r\n|\r|\n/g, ending);
}
