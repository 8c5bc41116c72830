import { relative, sep } from 'node:path';
import * as vscode from 'vscode';

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
