/** Opens what a page refers to. Agents write these paths and URLs, so the user is asked before anything outside the workspace is opened. */
import nodePath from 'node:path';
import { fileURLToPath } from 'node:url';
import * as vscode from 'vscode';
import { HostError, isOnThisMachine, machineOf, misleadingHost, realPath, isWithin } from '../../core/index.js';
import { confirm } from '../window/windowMessages.js';

/** Where a link leads. */
export interface Place {
  /** As the agent wrote it; relative to the folder of the conversation. */
  readonly path: string;
  /** 1-based. */
  readonly line?: number | undefined;
  /** What follows the path from `#` or `?`, decoded: a heading or a query, or still a part of the file's name. */
  readonly rest?: string | undefined;
}

/**
 * Opens a file in the editor that VS Code has for it, and shows a folder.
 * @param cwd the folder to which the path is relative
 * @param paths the path functions of the system on which the file is
 * @throws HostError `usage` if there is no such file
 */
export async function openLocation(
  { path, line, rest = '' }: Place,
  cwd: string,
  paths: Pick<typeof nodePath, 'resolve'> = nodePath,
): Promise<void> {
  const whole = paths.resolve(cwd, path);
  const machine = machineOf(whole);
  const isElsewhere = machine !== undefined && machine !== machineOf(cwd);
  // Must come before anything accesses the path, because an access would tell that machine who the user is.
  if (isElsewhere && !(await confirm(`Open a file on ${machine}?`, whole, 'Open'))) return;
  const named = rest === '' ? undefined : await realPath(whole + rest);
  const real = named ?? (await realPath(whole));
  if (real === undefined) throw new HostError('usage', { detail: `File not found: ${path}` });
  const uri = vscode.Uri.file(real);
  const isFolder = await isDirectory(uri);
  const isInside = await isInWorkspace(real);
  const what = isFolder ? 'a folder outside the workspace in a new window' : 'a file outside the workspace';
  if (!isElsewhere && !isInside && !(await confirm(`Open ${what}?`, real, 'Open'))) return;
  if (isFolder) return showFolder(uri, isInside);
  const start = line ?? (named === undefined ? await lineOfHeading(real, rest) : undefined);
  // Not `openTextDocument`, which refuses a picture.
  await vscode.commands.executeCommand('vscode.open', uri, start === undefined ? {} : { selection: startOf(start) });
}

/**
 * Opens a file that the user attached, without asking.
 * @param href the URI of the file
 * @throws HostError `usage` if there is no such file
 */
export async function openAttached(href: string): Promise<void> {
  const uri = vscode.Uri.parse(href);
  if (uri.scheme !== 'file') return void (await openWebLink(href));
  if ((await realPath(uri.fsPath)) === undefined) throw new HostError('usage', { detail: `File not found: ${uri.fsPath}` });
  if (await isDirectory(uri)) await showFolder(uri, await isInWorkspace(uri.fsPath));
  else await vscode.commands.executeCommand('vscode.open', uri);
}

async function isDirectory(uri: vscode.Uri): Promise<boolean> {
  return (await vscode.workspace.fs.stat(uri)).type === vscode.FileType.Directory;
}

async function showFolder(uri: vscode.Uri, isInside: boolean): Promise<void> {
  if (isInside) await vscode.commands.executeCommand('revealInExplorer', uri);
  // The Explorer has no other folder.
  else await vscode.commands.executeCommand('vscode.openFolder', uri, { forceNewWindow: true });
}

/** @param line 1-based; VS Code takes the last line if there is no such line */
function startOf(line: number): vscode.Range {
  const position = new vscode.Position(Math.max(line - 1, 0), 0);
  return new vscode.Range(position, position);
}

/**
 * Opens a link to a file like a location, a link to the web, or one that starts an email.
 * @throws HostError `usage` for any other link, or if there is no such file
 */
export async function openLink(href: string, cwd: string): Promise<void> {
  const file = fileOf(href);
  if (file !== undefined) await openLocation(file, cwd);
  else if (schemeOf(href) !== 'mailto:') await openWebLink(href);
  else if (await confirm('Write an email?', href, 'Open')) await openUnchanged(href);
}

/** @returns undefined if the URL names no file of this machine, or on Windows none of any machine */
function fileOf(href: string): Place | undefined {
  if (schemeOf(href) !== 'file:') return undefined;
  const { hash } = new URL(href);
  const line = /^#L?(\d+)/.exec(hash)?.[1];
  try {
    const path = fileURLToPath(href);
    return line === undefined ? { path, rest: decodeURIComponent(hash) } : { path, line: Number(line) };
  } catch {
    return undefined;
  }
}

/**
 * Opens web links only, and asks before it opens a misleading link, or an `http:` link to another machine.
 * @returns false if the user declined
 * @throws HostError `usage` for any other link
 */
export async function openWebLink(href: string): Promise<boolean> {
  const scheme = schemeOf(href);
  if (scheme !== 'https:' && scheme !== 'http:')
    throw new HostError('usage', { detail: `ACP Host opens only web links, not this one: ${href}` });
  if (scheme === 'http:' && !isOnThisMachine(href) && !(await confirm('Open an unencrypted link?', href, 'Open'))) return false;
  const host = misleadingHost(href);
  if (host !== undefined && !(await confirm(`Open a page on ${host}?`, href, 'Open'))) return false;
  return openUnchanged(href);
}

/** @returns with the colon; empty if this is no URL */
function schemeOf(href: string): string {
  return URL.canParse(href) ? new URL(href).protocol : '';
}

/**
 * `vscode.Uri` decodes every part, and encoding it again yields another URL: `%2B` becomes `+`, and `%26` becomes `&`. VS Code also accepts a
 * string and opens that unchanged (`openUri` in microsoft/vscode src/vs/workbench/api/common/extHostWindow.ts, and issue 85930).
 */
function openUnchanged(href: string): Thenable<boolean> {
  return vscode.env.openExternal(new URL(href).href as string & vscode.Uri);
}

/** @param real a path without symbolic links */
export async function isInWorkspace(real: string): Promise<boolean> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const roots = await Promise.all(folders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => realPath(uri.fsPath)));
  return roots.some((root) => root !== undefined && isWithin(root, real));
}

// Finds the headings of Markdown files, to which links lead by names such as `#getting-started`.

/**
 * @param path absolute; a file that may be opened
 * @param rest the end of a link, decoded, from its first `#` or `?`
 * @returns 1-based; undefined if the file is not Markdown, or has no such heading
 * @throws VS Code's error if the file cannot be read
 */
export async function lineOfHeading(path: string, rest: string): Promise<number | undefined> {
  const name = /#(.+)$/s.exec(rest)?.[1];
  if (name === undefined || !/\.(?:md|markdown|mdx|mkd)$/i.test(path)) return undefined;
  const bytes = await vscode.workspace.fs.readFile(vscode.Uri.file(path));
  return lineNamed(new TextDecoder().decode(bytes), name);
}

/**
 * Names headings as GitHub does: in lower case without punctuation, with hyphens for blanks, and a number for each repetition.
 * @param name of a heading, or of an anchor in HTML
 * @returns 1-based; undefined if there is none
 */
export function lineNamed(text: string, name: string): number | undefined {
  const lines = text.split(/\r\n|\r|\n/);
  const seen = new Map<string, number>();
  let fence: string | undefined;
  for (const [index, line] of lines.entries()) {
    const marker = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (marker !== undefined && (fence === undefined || marker.startsWith(fence))) fence = fence === undefined ? marker : undefined;
    if (fence !== undefined || marker !== undefined) continue;
    if (anchors(line).includes(name)) return index + 1;
    const isUnderlined = /^ {0,3}(?:=+|-+)\s*$/.test(lines[index + 1] ?? '') && /\S/.test(line);
    const words = /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(line)?.[1] ?? (isUnderlined ? line : undefined);
    if (words === undefined) continue;
    const slug = slugOf(words);
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    if ((count === 0 ? slug : `${slug}-${count}`) === name.toLowerCase()) return index + 1;
  }
  return undefined;
}

/** The names of the anchors in a line: `<a id="x">`, `<h2 name='x'>`, `{#x}`. */
function anchors(line: string): readonly (string | undefined)[] {
  return [...line.matchAll(/<[a-z]\w*\s[^>]*?\b(?:id|name)=["']([^"']+)["']|\{#([^}\s]+)\}/gi)].map((match) => match[1] ?? match[2]);
}

function slugOf(heading: string): string {
  const words = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/<[^>]*>/g, '');
  return words
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}
