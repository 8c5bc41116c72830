/** The saved conversations of the user on this machine, and how to find one. */
import {
  ConversationStore,
  type ConversationStoreOptions,
  type Elsewhere,
  HostError,
  nullLogger,
  type Redactor,
  type SavedConversation,
  stateFolder,
} from '../../core/index.js';
import type { AgentChoice } from '../arguments/request.js';
import { usageError } from '../arguments/usageError.js';
import { agentName, choiceOf } from './agents.js';
import type { Io } from './io.js';

/** @param given `--state` */
export function openStore(
  given: string | undefined,
  io: Io,
  redactor: Redactor,
  listeners: Pick<ConversationStoreOptions, 'onError' | 'onRemoved'> = {},
): ConversationStore {
  return new ConversationStore({ stateFolder: stateFolder(given, io), program: 'terminal', redactor, log: nullLogger, ...listeners });
}

export interface SavedSession {
  readonly conversationId: string;
  readonly agentId: string;
  /** The name for users. */
  readonly agentLabel: string;
  readonly sessionId: string;
  /** When the session was created, in milliseconds since the epoch. */
  readonly createdAt: number;
  readonly usedAt: number;
  readonly cwd: string;
  readonly folder: string;
  /** The user's name for the session, else the beginning of its first message. */
  readonly title: string;
  /** `interrupted`: its last turn was interrupted. */
  readonly state: 'idle' | 'running' | 'interrupted';
  /** Another process works in it. */
  readonly elsewhere: Elsewhere | undefined;
}

/** Returns the name that `--agent` accepts, or the one that the agent reports. */
export function shownAgent({ agentId, agentLabel }: SavedSession): string {
  const name = agentName(agentId);
  return name === agentId ? name : agentLabel;
}

/** @throws HostError `storage_failed` if the saved conversations can't be listed: an empty list would say that there are none */
async function loadAll(store: ConversationStore): Promise<void> {
  await store.load();
  if (store.unreadable !== undefined) throw store.unreadable;
}

/** Newest first. @throws HostError as `loadAll` */
export async function listSaved(store: ConversationStore): Promise<readonly SavedSession[]> {
  await loadAll(store);
  return store.all.flatMap((saved) => toSession(saved, store.seats.elsewhere(saved.id))).sort((a, b) => b.createdAt - a.createdAt);
}

function toSession(
  { id, cwd, folder, place, summary, title, createdAt }: SavedConversation,
  elsewhere: Elsewhere | undefined,
): readonly SavedSession[] {
  if (place === undefined || summary === undefined) return [];
  return [
    {
      conversationId: id,
      agentId: place.agentId,
      agentLabel: summary.agent.label,
      sessionId: place.sessionId,
      createdAt: place.createdAt ?? createdAt,
      usedAt: summary.usedAt,
      cwd,
      folder,
      title: title ?? summary.firstWords ?? summary.agentTitle ?? '',
      state: elsewhere?.isBusy === true ? 'running' : summary.turn === 'idle' ? 'idle' : 'interrupted',
      elsewhere,
    },
  ];
}

/** A conversation of the editor in which nothing was sent yet. It has no session, so it can be continued only there. */
export interface UnsentConversation {
  readonly cwd: string;
  /** The user's name for it, else the beginning of the unsent message or draft. */
  readonly title: string;
  /** In milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Newest first. @throws HostError as `loadAll` */
export async function listUnsent(store: ConversationStore): Promise<readonly UnsentConversation[]> {
  await loadAll(store);
  return store.unsent
    .map(({ cwd, title, unsentWords, createdAt }) => ({ cwd, title: title ?? unsentWords ?? '', createdAt }))
    .sort((a, b) => b.createdAt - a.createdAt);
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

/**
 * @param wanted as in `referencesOf`, or the beginning of an id
 * @throws HostError `usage` for no match or several
 */
export async function findSession(store: ConversationStore, wanted: string): Promise<SavedSession> {
  const saved = await listSaved(store);
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
 * Returns the agent of the newest saved session with this ID; undefined if there is none.
 * @param store loaded
 * @throws HostError as `choiceOf`
 */
export function agentOfSession(store: ConversationStore, sessionId: string): AgentChoice | undefined {
  const [newest] = store.all
    .flatMap((saved) => toSession(saved, undefined))
    .filter((session) => session.sessionId === sessionId)
    .sort((a, b) => b.createdAt - a.createdAt);
  return newest && choiceOf(newest.agentId);
}

/**
 * Returns the most recently used session of this folder.
 * @param folder absolute, without symbolic links
 * @param agentId restricts the search to this agent @throws HostError `session_unknown`
 */
export async function newestSession(store: ConversationStore, folder: string, agentId: string | undefined): Promise<SavedSession> {
  const saved = (await listSaved(store)).filter(
    (session) => session.folder === folder && (agentId === undefined || session.agentId === agentId),
  );
  const [newest] = [...saved].sort((a, b) => b.usedAt - a.usedAt);
  if (newest === undefined)
    throw new HostError('session_unknown', { detail: `No saved session to resume in ${folder}. Omit --continue to start a new session` });
  return newest;
}
