import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { fileFacts } from '../../core/index.js';

export interface FoundFile {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
}

/** Matches the names that the page looks up: no folders, and no characters of patterns. */
const bareName = /^[\w@.+-]{1,100}$/;

/** The limit for all names together. Beyond it, names are too ambiguous to be useful. */
const mostFound = 500;

/**
 * Finds files by their bare names: in the folder itself, or the only one with that name below it.
 * @param cwd absolute
 */
export async function filesNamed(names: readonly string[], cwd: string): Promise<readonly FoundFile[]> {
  const wanted = names.filter((name) => bareName.test(name) && /\w/.test(name));
  const onTop = await Promise.all(wanted.map(async (name) => ((await fileFacts(join(cwd, name))) === undefined ? [] : [name])));
  const there = new Set(onTop.flat());
  const below = await filesBelow(
    wanted.filter((name) => !there.has(name)),
    cwd,
  );
  return [...[...there].map((name) => ({ name, path: join(cwd, name) })), ...below];
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
