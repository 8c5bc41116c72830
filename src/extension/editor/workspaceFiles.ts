import { homedir } from 'node:os';
import { basename, relative, resolve, sep } from 'node:path';
import * as vscode from 'vscode';
import { fileFacts, machineOf, pictureType, realPath } from '../../core/index.js';
import { isInWorkspace } from './open.js';

/** The limit for pictures, because a page holds them as text. */
export const largestPictureBytes = 4 * 1024 * 1024;

/**
 * Reads a picture of the workspace, for a page that cannot load anything itself.
 * @param path as the agent wrote it; relative to `cwd`
 * @returns a `data:` URL; undefined if there is no such picture in the workspace
 */
export async function workspaceImage(path: string, cwd: string): Promise<string | undefined> {
  const whole = resolve(cwd, path);
  if (machineOf(whole) !== machineOf(cwd)) return undefined;
  const real = await realPath(whole);
  if (real === undefined || !(await isInWorkspace(real))) return undefined;
  const facts = await fileFacts(real);
  if (facts === undefined || facts.sizeBytes > largestPictureBytes) return undefined;
  const bytes = await vscode.workspace.fs.readFile(vscode.Uri.file(real));
  const type = pictureType(bytes);
  return type === undefined ? undefined : `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
}

/**
 * Returns the files and folders of the workspace among these, without others.
 * @param uris as the editor writes them for what is dragged: in a window of another machine, the files there are `vscode-remote:`
 * @returns absolute paths
 */
export async function droppedFiles(uris: readonly string[]): Promise<readonly string[]> {
  const scheme = vscode.env.remoteName === undefined ? 'file' : 'vscode-remote';
  const files = uris.map((uri) => vscode.Uri.parse(uri)).filter((uri) => uri.scheme === scheme);
  // The folders of the window are `file:` here in both cases.
  const paths = files.map((uri) => (scheme === 'file' ? uri : vscode.Uri.file(uri.path)).fsPath);
  const isInside = await Promise.all(
    paths.map(async (path) => {
      const real = await realPath(path);
      return real !== undefined && isInWorkspace(real);
    }),
  );
  return paths.filter((_, index) => isInside[index]);
}

export interface FoundFile {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
}

/** Matches the names that are searched for below the folder: no folders, and no characters of patterns. */
const bareName = /^[\p{L}\p{M}\p{N}_@.+-]{1,100}$/u;

/** The limit for all names together. Beyond it, names are too ambiguous to be useful. */
const mostFound = 500;

/**
 * Finds files and folders by their paths, and files also by their bare names: in the folder itself, or the only one with that name below it.
 * @param cwd absolute
 */
export async function filesNamed(names: readonly string[], cwd: string): Promise<readonly FoundFile[]> {
  const there = (await Promise.all(names.map((name) => fileAt(name, cwd)))).filter((file) => file !== undefined);
  const found = new Set(there.map(({ name }) => name));
  const below = await filesBelow(
    names.filter((name) => !found.has(name) && bareName.test(name) && /[\p{L}\p{N}_]/u.test(name)),
    cwd,
  );
  return [...there, ...below];
}

async function fileAt(name: string, cwd: string): Promise<FoundFile | undefined> {
  const path = resolve(cwd, name.replace(/^~(?=[\\/])/, homedir));
  // A look at another machine would tell it who the user is. The folder itself is more often meant as a word than as a place.
  if (machineOf(path) !== machineOf(cwd) || path === resolve(cwd) || /^[./\\]*$/.test(name)) return undefined;
  const facts = await fileFacts(path).catch(() => undefined);
  return facts && { name, path };
}

async function filesBelow(names: readonly string[], cwd: string): Promise<readonly FoundFile[]> {
  if (names.length === 0) return [];
  // Searches for all names at once, because each search walks through the folder.
  const pattern = new vscode.RelativePattern(vscode.Uri.file(cwd), `**/{${names.join(',')}}`);
  const found = await vscode.workspace.findFiles(pattern, '**/node_modules/**', mostFound);
  if (found.length === mostFound) return [];
  return names.flatMap((name) => {
    const [only, another] = found.filter(({ fsPath }) => basename(fsPath) === name);
    return only === undefined || another !== undefined ? [] : [{ name, path: only.fsPath }];
  });
}

/** Looking for files takes longer than a key press, so one search serves the whole name. */
const searchAgainAfterMs = 5_000;
const mostFiles = 20_000;
const mostSuggested = 20;

/** The files of a folder, without those that the editor hides. */
export class WorkspaceFiles {
  #last: { readonly cwd: string; readonly at: number; readonly paths: Promise<readonly string[]> } | undefined;

  /**
   * @param typed a part of a name or path
   * @param cwd absolute
   * @returns paths relative to `cwd` with `/` between folders, best first
   */
  async suggest(typed: string, cwd: string): Promise<readonly string[]> {
    return rankFiles(await this.list(cwd), typed, mostSuggested);
  }

  /** @returns paths relative to `cwd`, in no particular order */
  list(cwd: string): Promise<readonly string[]> {
    const now = Date.now();
    if (this.#last?.cwd !== cwd || now - this.#last.at > searchAgainAfterMs) this.#last = { cwd, at: now, paths: find(cwd) };
    return this.#last.paths;
  }
}

async function find(cwd: string): Promise<readonly string[]> {
  const everything = new vscode.RelativePattern(vscode.Uri.file(cwd), '**/*');
  const found = await vscode.workspace.findFiles(everything, '**/node_modules/**', mostFiles);
  return found.map(({ fsPath }) => relative(cwd, fsPath).split(sep).join('/'));
}

/** Which files a user may mean who types a part of their names. */

/**
 * Ranks by how well the name fits: it begins with what was typed, contains it, or only the path does. Shorter paths come first.
 * @param paths with `/` between folders
 * @param typed in any case; may contain folders
 * @returns at most `limit` paths that contain `typed`
 */
export function rankFiles(paths: readonly string[], typed: string, limit: number): readonly string[] {
  const wanted = typed.toLowerCase();
  const ranked = paths.flatMap((path) => {
    const lower = path.toLowerCase();
    const inName = lower.slice(lower.lastIndexOf('/') + 1).indexOf(wanted);
    if (inName === -1 && !lower.includes(wanted)) return [];
    return [{ path, rank: inName === 0 || lower.startsWith(wanted) ? 0 : inName > 0 ? 1 : 2 }];
  });
  ranked.sort((a, b) => a.rank - b.rank || a.path.length - b.path.length || (a.path < b.path ? -1 : 1));
  return ranked.slice(0, limit).map(({ path }) => path);
}

/**
 * Returns the paths of the files that a command of the Explorer or of an editor's tab applies to; empty if it was invoked elsewhere.
 * @param argument what was clicked
 * @param selected everything that is selected, if that is more
 */
export function filesOf(argument: unknown, selected: unknown): readonly string[] {
  const uris: readonly unknown[] = Array.isArray(selected) && selected.length > 0 ? selected : [argument];
  return uris.flatMap((uri) => (uri instanceof vscode.Uri && uri.scheme === 'file' ? [uri.fsPath] : []));
}
