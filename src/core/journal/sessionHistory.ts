import { toHostError } from '../base/errors.js';
import { type JournalStore, readConversation } from './journalStore.js';
import type { WhichConversation } from './journalLookup.js';
import type { SessionState } from '../session/model.js';

/** Nobody reads further back. */
const maxLength = 100;

/**
 * The kept conversation with those that it goes on from, oldest first, itself last. Ends at one that was not kept or cannot be read.
 * @returns nothing where the conversation itself was not kept @throws HostError `storage_failed` where it cannot be read
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

/** What is kept of the conversations that this one goes on from, oldest first. A gain where it can be read, and no reason to fail where it cannot. */
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
    // The agent may have given either id again since then.
    return await readConversation(store, agentId, continues, { before: continues === sessionId ? createdAt : createdAt + 1 });
  } catch (error) {
    if (toHostError(error).code === 'storage_failed') return undefined;
    throw error;
  }
}
