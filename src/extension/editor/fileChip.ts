/** Files and pictures that the user adds to a message. */
import { basename, isAbsolute, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { type Chip, type ContentBlock, HostError, pictureType } from '../../core/index.js';
import { largestPictureBytes } from './workspaceFiles.js';

/** @param extension without the dot */
type SavePicture = (bytes: Uint8Array, extension: string) => Promise<{ readonly uri: string }>;

/**
 * A picture is sent to agents that accept pictures; any other file or folder is a link that the agent follows itself.
 * @param path absolute; the user chose it
 * @param cwd the folder of the conversation, absolute
 * @throws HostError `usage` if there is no such file
 */
export async function fileChip(path: string, cwd: string): Promise<Chip> {
  const file = vscode.Uri.file(path);
  return { id: file.toString(), label: basename(path), title: pathFrom(cwd, path), content: await contentOf(file) };
}

/**
 * Returns the path as an agent that works in the folder knows it.
 * @param path absolute
 */
export function pathFrom(cwd: string, path: string): string {
  return isWithin(cwd, path) ? relative(cwd, path) : path;
}

/** Whether the path is that of something inside the folder. Both are absolute. */
export function isWithin(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

async function contentOf(file: vscode.Uri): Promise<ContentBlock> {
  const uri = file.toString();
  const name = basename(file.fsPath);
  const { type, size } = await vscode.workspace.fs.stat(file).then(
    (facts) => facts,
    () => {
      throw new HostError('usage', { detail: `${file.fsPath} doesn't exist or can't be read` });
    },
  );
  if ((type & vscode.FileType.Directory) !== 0) return { type: 'resource_link', uri, name };
  if (/\.(png|jpe?g|gif|webp)$/i.test(name) && size <= largestPictureBytes) {
    const bytes = await vscode.workspace.fs.readFile(file);
    const mimeType = pictureType(bytes);
    if (mimeType !== undefined) return { type: 'image', mimeType, data: Buffer.from(bytes).toString('base64'), uri };
  }
  return { type: 'resource_link', uri, name, size };
}

/**
 * The picture is saved, so that it can be opened, and so that an agent that accepts no pictures gets a link to the file.
 * @param url `data:` with a picture that the user pasted
 * @param save saves it
 * @throws HostError `usage` for anything but a picture that is small enough
 */
export async function imageChip(url: string, save: SavePicture): Promise<Chip> {
  const data = /^data:image\/[\w.+-]+;base64,([\w+/]+=*)$/.exec(url)?.[1] ?? '';
  const bytes = Buffer.from(data, 'base64');
  const mimeType = bytes.length > largestPictureBytes ? undefined : pictureType(bytes);
  if (mimeType === undefined) throw new HostError('usage', { detail: 'You can paste PNG, JPEG, GIF and WebP images of up to 4 MB' });
  const { uri } = await save(bytes, mimeType.slice('image/'.length));
  return { id: uri, label: 'Image', title: 'Pasted image', content: { type: 'image', mimeType, data, uri } };
}
