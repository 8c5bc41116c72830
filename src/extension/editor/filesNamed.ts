import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import * as vscode from 'vscode';
import { fileFacts, machineOf } from '../../core/index.js';

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
