import { removeFile } from '../node/files.js';
import { conversationsOf, type Owner, pickConversation, type WhichConversation } from './journalLookup.js';

/** Removes the files of one conversation; does nothing if there are none. @throws HostError `storage_failed`, or the system's error */
export async function removeJournal(directory: string, owner: Owner, which: WhichConversation): Promise<void> {
  const kept = pickConversation(await conversationsOf(directory, owner), which);
  for (const { path } of kept?.files ?? []) await removeFile(path);
}
