/**
 * What windows saved about a folder before all front ends shared one folder. Each fact is parsed separately, so that an invalid one doesn't
 * affect the others.
 */
import * as z from 'zod/mini';
import { journalName } from '../journal/journalFiles.js';
import { createHash } from 'node:crypto';
import type { ConversationStore } from './conversationStore.js';
import { placeSchema, promptsSchema, toPrompt } from './savedParts.js';

const recordSchema = z.object({
  place: z.optional(placeSchema),
  outbox: z.catch(promptsSchema, []),
  returned: z.catch(promptsSchema, []),
});
const textSchema = z.string();

/** The storage of a window, as the editor provides it. */
export interface FormerStorage {
  keys(): readonly string[];
  get(key: string): unknown;
  update(key: string, value: undefined): PromiseLike<void>;
}

/** The kinds of facts. Their keys continue with the path of a folder. */
const kinds = ['conversation', 'unsent', 'draft'] as const;

/**
 * Moves what the storage has about each folder, the conversation on screen there, and the agent that was chosen in the window. Resolves
 * when the storage is empty.
 */
export async function moveFormerState(storage: FormerStorage, store: ConversationStore): Promise<void> {
  const read = <T>(key: string, schema: z.ZodMiniType<T>): T | undefined => {
    const parsed = schema.safeParse(storage.get(key));
    return parsed.success ? parsed.data : undefined;
  };
  const keys = storage.keys().filter((key) => kinds.some((kind) => key.startsWith(`${kind}:`)) || key === 'folder' || key === 'agent');
  const folders = new Set(keys.filter((key) => key.includes(':')).map((key) => key.slice(key.indexOf(':') + 1)));
  const shownFolder = read('folder', textSchema);
  const agentId = read('agent', textSchema);
  for (const folder of folders) {
    // Up to version 0.1, the place and the prompts were separate.
    const place = read(`conversation:${folder}`, placeSchema);
    const record = read(`conversation:${folder}`, recordSchema);
    const at = place ?? record?.place;
    const id = at === undefined ? idOf(folder) : journalName(at.agentId, at.sessionId);
    store.adopt(id, folder, {
      place: at && { ...at, continues: at.continues },
      outbox: (read(`unsent:${folder}`, promptsSchema) ?? record?.outbox ?? []).map(toPrompt),
      returned: (record?.returned ?? []).map(toPrompt),
      draft: read(`draft:${folder}`, textSchema) ?? '',
    });
    store.folders.adopt(folder, { shown: id, shownAt: folder === shownFolder ? 1 : 0, agentId });
  }
  if (shownFolder !== undefined) store.folders.adopt(shownFolder, { shown: undefined, shownAt: 1, agentId });
  await Promise.all(keys.map((key) => storage.update(key, undefined)));
}

/** Always returns the same ID, so that an interrupted move can be repeated. */
function idOf(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 32);
}
