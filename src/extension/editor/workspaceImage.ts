import { resolve } from 'node:path';
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
