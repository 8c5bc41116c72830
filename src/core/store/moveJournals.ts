import { join } from 'node:path';
import type { Logger } from '../base/logger.js';
import { copyPrivately, isBeginningOf } from '../node/copyFile.js';
import { removeFile } from '../node/files.js';
import { journalName, listSegments, type SegmentFile, segmentPath } from '../journal/journalFiles.js';
import { conversationsOf } from '../journal/journalLookup.js';
import { summarizeJournal } from '../journal/journalRead.js';

/**
 * Moves the journals of a folder to the shared folder. Removes each conversation only when all of it has arrived, so that an interrupted
 * move can be repeated, and two moves at once do no harm. Other files stay. Never rejects.
 */
export async function moveJournals(from: string, to: string, log: Logger): Promise<void> {
  if (from === to) return;
  try {
    for (const files of (await listSegments(from)).values()) await moveConversation(files, to);
  } catch (error) {
    log.error('Could not move saved conversations to the folder for all windows; the next start tries again', { from, to, error });
  }
}

async function moveConversation(files: readonly SegmentFile[], to: string): Promise<void> {
  const summary = await summarizeJournal(files);
  if (summary === undefined) return;
  const { agentId, sessionId, createdAt } = summary;
  for (const file of files) {
    let isThere = false;
    while (!isThere) {
      const conversations = await conversationsOf(to, { agentId, sessionId });
      const same = conversations.find((one) => one.createdAt === createdAt);
      const name = same?.name ?? journalName(agentId, sessionId, (conversations.at(-1)?.ordinal ?? 0) + 1);
      isThere = await isAmong(file, same?.files ?? []);
      isThere ||= await copyPrivately(file.path, segmentPath(to, name, freeSegment(file.segment, same?.files ?? [])));
    }
  }
  for (const { path } of files) await removeFile(path);
}

/** Whether one of the files contains its content; copies what was added since. */
async function isAmong({ path }: SegmentFile, files: readonly SegmentFile[]): Promise<boolean> {
  for (const file of files) {
    if (await isBeginningOf(path, file.path)) return true;
    // An editor that was not updated yet continued to write to the copied file.
    if (await isBeginningOf(file.path, path)) return copyPrivately(path, file.path, { replaces: true });
  }
  return false;
}

function freeSegment(wanted: number, files: readonly SegmentFile[]): number {
  const taken = files.map(({ segment }) => segment);
  return taken.includes(wanted) ? Math.max(...taken) + 1 : wanted;
}

/** Where the extension saved the conversations of a window, in the folder that the editor provides. */
export function formerJournalFolder(windowFolder: string): string {
  return join(windowFolder, 'conversations');
}
