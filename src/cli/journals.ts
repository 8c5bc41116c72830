/** The conversations that this command line keeps, and how one of them is found again. */
import path from 'node:path';
import { createJournalStore, HostError, type JournalStore, nullLogger, type Redactor } from '../core/index.js';

export type KeptSession = Awaited<ReturnType<JournalStore['list']>>[number];

/** @param onError is told once per conversation that it can no longer be kept */
export function openJournals(stateFolder: string, redactor: Redactor, onError?: (error: HostError) => void): JournalStore {
  return createJournalStore({ directory: path.join(stateFolder, 'journal'), redactor, log: nullLogger, ...(onError && { onError }) });
}

/** @throws HostError `usage` when no session, or more than one, has an id that begins so */
export async function findSession(journals: JournalStore, idOrPrefix: string): Promise<KeptSession> {
  const kept = await journals.list();
  const exact = kept.filter(({ sessionId }) => sessionId === idOrPrefix);
  const found = exact.length > 0 ? exact : kept.filter(({ sessionId }) => sessionId.startsWith(idOrPrefix));
  const [session, ...others] = found;
  if (session === undefined) throw new HostError('usage', `No kept session has the id "${idOrPrefix}". \`acp-host sessions\` lists them`);
  if (others.length > 0) throw new HostError('usage', `"${idOrPrefix}" is the beginning of ${found.length} sessions: ${found.map(({ sessionId }) => sessionId).join(', ')}`);
  return session;
}

/**
 * The session of this folder that was used last.
 * @param agentId only of this agent @throws HostError `session_unknown`
 */
export async function newestSession(journals: JournalStore, cwd: string, agentId: string | undefined): Promise<KeptSession> {
  const kept = (await journals.list()).filter((session) => session.cwd === cwd && (agentId === undefined || session.agentId === agentId));
  const [newest] = kept.sort((a, b) => b.updatedAt - a.updatedAt);
  if (newest === undefined) throw new HostError('session_unknown', `There is no earlier session to continue in ${cwd}`);
  return newest;
}
