/** Opens what a page refers to. Agents write these paths and URLs, so the user is asked before anything outside the workspace is opened. */
import nodePath, { isAbsolute, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { HostError, machineOf, misleadingHost, realPath } from '../../core/index.js';
import { confirm } from '../window/windowMessages.js';

/**
 * @param path as the agent wrote it; relative to `cwd`
 * @param line 1-based
 * @param paths the path functions of the system on which the file is
 * @throws HostError `usage` if there is no such file
 */
export async function openLocation(
  path: string,
  line: number | undefined,
  cwd: string,
  paths: Pick<typeof nodePath, 'resolve'> = nodePath,
): Promise<void> {
  const whole = paths.resolve(cwd, path);
  const machine = machineOf(whole);
  const isElsewhere = machine !== undefined && machine !== machineOf(cwd);
  // Must come before anything accesses the path, because an access would tell that machine who the user is.
  if (isElsewhere && !(await confirm(`Open a file on ${machine}?`, whole, 'Open'))) return;
  const real = await realPath(whole);
  if (real === undefined) throw new HostError('usage', { detail: `File not found: ${path}` });
  if (!isElsewhere && !(await isInWorkspace(real)) && !(await confirm('Open a file outside the workspace?', real, 'Open'))) return;
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(real));
  const position = new vscode.Position(Math.min(Math.max((line ?? 1) - 1, 0), document.lineCount - 1), 0);
  await vscode.window.showTextDocument(document, line === undefined ? {} : { selection: new vscode.Range(position, position) });
}

/**
 * Opens web links only, and asks before it opens an `http:` link or a misleading one.
 * @returns false if the user declined
 * @throws HostError `usage` for any other link
 */
export async function openLink(href: string): Promise<boolean> {
  const scheme = URL.canParse(href) ? new URL(href).protocol : '';
  if (scheme !== 'https:' && scheme !== 'http:')
    throw new HostError('usage', { detail: `ACP Host opens only web links, not this one: ${href}` });
  if (scheme === 'http:' && !(await confirm('Open an unencrypted link?', href, 'Open'))) return false;
  const host = misleadingHost(href);
  if (host !== undefined && !(await confirm(`Open a page on ${host}?`, href, 'Open'))) return false;
  return openUnchanged(href);
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
  return roots.some((root) => {
    if (root === undefined) return false;
    const inside = relative(root, real);
    return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
  });
}
