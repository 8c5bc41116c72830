import { toHostError } from '../base/errors.js';
import { type JournalStore, readConversation } from './journalStore.js';
import type { WhichConversation } from './journalLookup.js';
import type { SessionState } from '../session/model.js';

/** Earlier parts are unlikely to be read. */
const maxLength = 100;

/**
 * The saved conversation, after those that it continues, oldest first. Ends at one that was not saved or can't be read.
 * @returns nothing if the conversation itself was not saved @throws HostError `storage_failed` if it can't be read
 */
export async function readSessionHistory(
  store: JournalStore,
  agentId: string,
  sessionId: string,
  which?: WhichConversation,
): Promise<readonly SessionState[]> {
  const state = await readConversation(store, agentId, sessionId, which);
  return state === undefined ? [] : [...(await readEarlierSessions(store, agentId, state)), state];
}

/** The saved conversations that this one continues, oldest first. Optional information: a failure to read it is not an error. */
export async function readEarlierSessions(
  store: JournalStore,
  agentId: string,
  conversation: SessionState,
): Promise<readonly SessionState[]> {
  const chain: SessionState[] = [];
  const seen = new Set([keyOf(conversation)]);
  let state: SessionState | undefined = conversation;
  while (chain.length < maxLength) {
    state = await readEarlier(store, agentId, state);
    if (state === undefined || seen.has(keyOf(state))) break;
    seen.add(keyOf(state));
    chain.unshift(state);
  }
  return chain;
}

function keyOf({ sessionId, createdAt }: SessionState): string {
  return `${createdAt} ${sessionId}`;
}

async function readEarlier(
  store: JournalStore,
  agentId: string,
  { sessionId, createdAt, continues }: SessionState,
): Promise<SessionState | undefined> {
  if (continues === undefined) return undefined;
  try {
    // The agent may have reused either ID since then.
    return await readConversation(store, agentId, continues, { before: continues === sessionId ? createdAt : createdAt + 1 });
  } catch (error) {
    if (toHostError(error).code === 'storage_failed') return undefined;
    throw error;
  }
}
