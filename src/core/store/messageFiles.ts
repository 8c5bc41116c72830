/** The files of pictures that were pasted into messages. Each belongs to a conversation. */
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { listFiles, listFolders, removeFolder, writePrivateFile } from '../node/files.js';

/**
 * Writes the content to a file of its own; in a conversation, the same content always has the same file.
 * @param id of the conversation, with which the file is removed @param extension without the dot
 */
export type WriteMessageFile = (
  id: string,
  content: Uint8Array,
  extension: string,
) => Promise<{ readonly name: string; readonly uri: string }>;

/** @param directory absolute; created if it is missing */
export function messageFilesIn(directory: string): WriteMessageFile {
  return async (id, content, extension) => {
    const name = `message-${createHash('sha256').update(content).digest('hex').slice(0, 12)}.${extension}`;
    const path = join(directory, id, name);
    await writePrivateFile(path, content);
    return { name, uri: pathToFileURL(path).href };
  };
}

/** @param directory as for `messageFilesIn` */
export async function hasMessageFiles(directory: string, id: string): Promise<boolean> {
  return (await listFiles(join(directory, id), '')).length > 0;
}

/** Removes the files of a conversation. @param directory as for `messageFilesIn` */
export async function removeMessageFiles(directory: string, id: string): Promise<void> {
  for (const folder of await listFolders(directory)) if (basename(folder) === id) await removeFolder(folder);
}
