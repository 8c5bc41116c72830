/** The saved conversations of the command line, and how to find one. */
import path from 'node:path';
import { createJournalStore, HostError, type JournalStore, type JournalStoreOptions, nullLogger, type Redactor } from '../../core/index.js';
import { usageError } from '../arguments/usageError.js';

/** Where conversations are saved. */
export function journalFolder(stateFolder: string): string {
  return path.join(stateFolder, 'journal');
}

export type SavedSession = Awaited<ReturnType<JournalStore['list']>>[number];

export function openJournals(
  stateFolder: string,
  redactor: Redactor,
  listeners: Pick<JournalStoreOptions, 'onError' | 'onRemoved'> = {},
): JournalStore {
  return createJournalStore({ directory: journalFolder(stateFolder), redactor, log: nullLogger, ...listeners });
}

/**
 * Returns what `show` accepts for each session: its ID, and for an older session whose ID the agent reused, `ID@CREATED`.
 * @param saved newest first
 */
export function referencesOf(saved: readonly SavedSession[]): readonly string[] {
  const seen = new Set<string>();
  return saved.map(({ sessionId, createdAt }) => {
    if (seen.has(sessionId)) return `${sessionId}@${new Date(createdAt).toISOString()}`;
    seen.add(sessionId);
    return sessionId;
  });
}

/** @param wanted as in `referencesOf`, or the beginning of an ID @throws HostError `usage` for no match or several */
export async function findSession(journals: JournalStore, wanted: string): Promise<SavedSession> {
  const saved = await journals.list();
  const exact =
    saved.find(({ sessionId }) => sessionId === wanted) ??
    saved.find(({ sessionId, createdAt }) => `${sessionId}@${new Date(createdAt).toISOString()}` === wanted);
  if (exact !== undefined) return exact;
  const found = saved.filter(({ sessionId }) => sessionId.startsWith(wanted));
  const ids = [...new Set(found.map(({ sessionId }) => sessionId))];
  const [session] = found;
  if (session === undefined) throw usageError(`No saved session has the ID "${wanted}". List the IDs with \`acp-host sessions\``);
  if (ids.length > 1) throw usageError(`"${wanted}" matches ${ids.length} sessions: ${ids.join(', ')}`);
  return session;
}

/**
 * Returns the most recently used session of this folder.
 * @param agentId restricts the search to this agent @throws HostError `session_unknown`
 */
export async function newestSession(journals: JournalStore, cwd: string, agentId: string | undefined): Promise<SavedSession> {
  const saved = (await journals.list()).filter((session) => session.cwd === cwd && (agentId === undefined || session.agentId === agentId));
  const [newest] = saved.sort((a, b) => b.updatedAt - a.updatedAt);
  if (newest === undefined)
    throw new HostError('session_unknown', { detail: `No saved session to resume in ${cwd}. Omit --continue to start a new session` });
  return newest;
}
