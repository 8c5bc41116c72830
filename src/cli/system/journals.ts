/** The conversations that this command line keeps, and how one of them is found again. */
import path from 'node:path';
import { createJournalStore, HostError, type JournalStore, type JournalStoreOptions, nullLogger, type Redactor } from '../../core/index.js';

/** Where conversations are saved. */
export function journalFolder(stateFolder: string): string {
  return path.join(stateFolder, 'journal');
}

export type KeptSession = Awaited<ReturnType<JournalStore['list']>>[number];

export function openJournals(
  stateFolder: string,
  redactor: Redactor,
  told: Pick<JournalStoreOptions, 'onError' | 'onRemoved'> = {},
): JournalStore {
  return createJournalStore({ directory: journalFolder(stateFolder), redactor, log: nullLogger, ...told });
}

/**
 * What `show` takes for each: the id, and where an agent gave one again, for all but the newest the time of its creation with it.
 * @param kept the newest first
 */
export function referencesOf(kept: readonly KeptSession[]): readonly string[] {
  const seen = new Set<string>();
  return kept.map(({ sessionId, createdAt }) => {
    if (seen.has(sessionId)) return `${sessionId}@${new Date(createdAt).toISOString()}`;
    seen.add(sessionId);
    return sessionId;
  });
}

/** @param wanted as in `referencesOf`, or the beginning of an id @throws HostError `usage` when no session, or more than one id, begins so */
export async function findSession(journals: JournalStore, wanted: string): Promise<KeptSession> {
  const kept = await journals.list();
  const exact =
    kept.find(({ sessionId }) => sessionId === wanted) ??
    kept.find(({ sessionId, createdAt }) => `${sessionId}@${new Date(createdAt).toISOString()}` === wanted);
  if (exact !== undefined) return exact;
  const found = kept.filter(({ sessionId }) => sessionId.startsWith(wanted));
  const ids = [...new Set(found.map(({ sessionId }) => sessionId))];
  const [session] = found;
  if (session === undefined) throw new HostError('usage', `No kept session has the id "${wanted}". \`acp-host sessions\` lists them`);
  if (ids.length > 1) throw new HostError('usage', `"${wanted}" is the beginning of ${ids.length} sessions: ${ids.join(', ')}`);
  return session;
}

/**
 * The session of this folder that was used last.
 * @param agentId only of this agent @throws HostError `session_unknown`
 */
export async function newestSession(journals: JournalStore, cwd: string, agentId: string | undefined): Promise<KeptSession> {
  const kept = (await journals.list()).filter((session) => session.cwd === cwd && (agentId === undefined || session.agentId === agentId));
  const [newest] = kept.sort((a, b) => b.updatedAt - a.updatedAt);
  if (newest === undefined)
    throw new HostError('session_unknown', `There is no earlier session to continue in ${cwd}. Start without --continue for a new one`);
  return newest;
}
