import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { rankFiles } from './rankFiles.js';

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
