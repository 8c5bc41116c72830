import { toHostError } from '../base/errors.js';
import { type JournalStore, readConversation } from './journal.js';
import type { SessionState } from './model.js';

/** Nobody reads further back. */
const maxLength = 100;

/**
 * The kept conversation with those that it goes on from, oldest first, itself last. Ends at one that was not kept or cannot be read.
 * @returns nothing where the conversation itself was not kept @throws HostError `storage_failed` where it cannot be read
 */
export async function readChain(store: JournalStore, agentId: string, sessionId: string): Promise<readonly SessionState[]> {
  const chain: SessionState[] = [];
  const seen = new Set<string>();
  let next: string | undefined = sessionId;
  while (next !== undefined && !seen.has(next) && chain.length < maxLength) {
    seen.add(next);
    const state: SessionState | undefined = await (chain.length === 0 ? readConversation(store, agentId, next) : readEarlier(store, agentId, next));
    if (state === undefined) break;
    chain.unshift(state);
    next = state.continues;
  }
  return chain;
}

/** A gain where it can be read, and no reason to fail where it cannot: the file costs only itself. */
async function readEarlier(store: JournalStore, agentId: string, sessionId: string): Promise<SessionState | undefined> {
  try {
    return await readConversation(store, agentId, sessionId);
  } catch (error) {
    if (toHostError(error).code === 'storage_failed') return undefined;
    throw error;
  }
}
