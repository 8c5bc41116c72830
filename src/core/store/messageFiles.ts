/** The files of pictures that were pasted into messages, and when they are removed. */
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SavedConversation } from '../conversation/ports.js';
import { fileFacts, listFiles, removeFile, writePrivateFile } from '../node/files.js';

/**
 * Writes the content to a file of its own; the same content always has the same file.
 * @param extension without the dot
 */
export type WriteMessageFile = (content: Uint8Array, extension: string) => Promise<{ readonly name: string; readonly uri: string }>;

/** @param directory absolute; created if it is missing */
export function messageFilesIn(directory: string): WriteMessageFile {
  return async (content, extension) => {
    const name = `message-${createHash('sha256').update(content).digest('hex').slice(0, 12)}.${extension}`;
    const path = join(directory, name);
    await writePrivateFile(path, content);
    return { name, uri: pathToFileURL(path).href };
  };
}

const dayMs = 24 * 60 * 60 * 1000;
/** Younger files always stay, because a message with one may still wait to be sent. */
const keptMs = 30 * dayMs;

export interface UnusedMessageFiles {
  /** As for `messageFilesIn`. */
  readonly directory: string;
  /** All that are saved, also those that the user deleted and can still restore. */
  readonly conversations: readonly Pick<SavedConversation, 'createdAt' | 'summary'>[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Removes the old files to which no saved conversation can refer, because none was in progress when the file was written. */
export async function removeUnusedMessageFiles({ directory, conversations, now }: UnusedMessageFiles): Promise<void> {
  const paths = (await listFiles(directory, '')).filter((path) => /^message-[0-9a-f]+\.[a-z]+$/.test(basename(path)));
  const files = await Promise.all(paths.map(async (path) => ({ path, writtenAt: (await fileFacts(path))?.modifiedAt ?? now })));
  const old = files.filter(({ writtenAt }) => now - writtenAt > keptMs);
  if (old.length === 0) return;
  // The file is written before its message, which may be the first of a conversation.
  const isUsed = (at: number): boolean =>
    conversations.some(({ createdAt, summary }) => createdAt - dayMs <= at && at <= (summary?.usedAt ?? createdAt) + dayMs);
  await Promise.all(old.filter(({ writtenAt }) => !isUsed(writtenAt)).map(({ path }) => removeFile(path)));
}
