/** The conversations of the user on this machine, saved and open, and how to find one. */
import { dirname } from 'node:path';
import {
  type ConversationHit,
  type ConversationListEntry,
  type EngineClient,
  HostError,
  mostSearchHits,
  revealOnOneLine,
  type SavedConversation,
  runsTurn,
  wordSearch,
} from '../../core/index.js';
import { type AgentChoice, usageError } from '../arguments/optionValues.js';
import { agentName, choiceOf } from './agents.js';
import { type EngineUseOptions, useEngine } from './engine.js';
import type { Io } from './io.js';

export interface SavedSession {
  readonly conversationId: string;
  readonly agentId: string;
  /** The name for users. */
  readonly agentLabel: string;
  readonly sessionId: string;
  /** When the conversation was created, in milliseconds since the epoch. */
  readonly createdAt: number;
  readonly usedAt: number;
  readonly cwd: string;
  readonly folder: string;
  /** The user's name for the session, else the beginning of its first message. */
  readonly title: string;
  /** `interrupted`: its last turn was interrupted. */
  readonly state: 'idle' | 'running' | 'interrupted';
}

/** A conversation of the editor in which nothing was sent yet. It has no session, so it can be continued only there. */
export interface UnsentConversation {
  readonly cwd: string;
  readonly folder: string;
  /** The user's name for it, else the beginning of the unsent message or draft. */
  readonly title: string;
  /** In milliseconds since the epoch. */
  readonly createdAt: number;
}

const titleLength = 40;

/** What is saved, newest first. */
interface Saved {
  readonly sessions: readonly SavedSession[];
  readonly unsent: readonly UnsentConversation[];
}

/** Returns the name that `--agent` accepts, or the one that the agent reports. */
export function shownAgent({ agentId, agentLabel }: Pick<SavedSession, 'agentId' | 'agentLabel'>): string {
  const name = agentName(agentId);
  return name === agentId ? name : agentLabel;
}

/**
 * Uses the engine only for this.
 * @throws HostError why there is no engine, and what `readSaved` throws
 */
export async function readAllSaved(options: EngineUseOptions, io: Io): Promise<Saved> {
  return withEngine(options, io, readSaved);
}

async function withEngine<T>(options: EngineUseOptions, io: Io, work: (client: EngineClient) => Promise<T>): Promise<T> {
  const engine = await useEngine(options, io);
  try {
    return await work(engine.client);
  } finally {
    await engine.end();
  }
}

/** What is saved and has these words, each with the last place of its text that has them. @throws HostError as `readAllSaved` */
export async function searchSaved(text: string, options: EngineUseOptions, io: Io): Promise<Saved & { readonly hits: Hits }> {
  return withEngine(options, io, async (client) => {
    const { sessions, unsent } = await readSaved(client);
    const hits = await search(
      client,
      text,
      sessions.map(({ conversationId }) => conversationId),
    );
    const placeIn = wordSearch(text);
    const isNamed = ({ title }: SavedSession | UnsentConversation): boolean => placeIn(title) >= 0;
    return { sessions: sessions.filter((one) => hits.has(one.conversationId) || isNamed(one)), unsent: unsent.filter(isNamed), hits };
  });
}

/** By the ID of the conversation. */
export type Hits = ReadonlyMap<string, ConversationHit>;

async function search(client: EngineClient, text: string, ids: readonly string[]): Promise<Hits> {
  const hits = await client.call('search', { text, ids });
  const last = hits.at(-1);
  const others = last === undefined || hits.length < mostSearchHits ? [] : await search(client, text, ids.slice(ids.indexOf(last.id) + 1));
  return new Map([...hits.map((hit) => [hit.id, hit] as const), ...others]);
}

/** @throws HostError `storage_failed` if the saved conversations can't be listed: an empty list would say that there are none */
export async function readSaved(engine: EngineClient): Promise<Saved> {
  const { conversations, unreadable } = await engine.call('saved', {});
  if (unreadable !== undefined) throw HostError.from(unreadable);
  const running = new Set(
    engine.list.state.conversations.filter((entry) => runsTurn(entry) || entry.activity === 'opening').map(({ id }) => id),
  );
  const sessions = conversations.flatMap((saved) => toSession(saved, running.has(saved.id)));
  const unsent = conversations.filter(({ summary, title, unsentWords }) => summary === undefined && (title ?? unsentWords) !== undefined);
  return {
    sessions: sessions.sort((a, b) => b.createdAt - a.createdAt),
    unsent: unsent
      .map(({ cwd, folder, title, unsentWords, createdAt }) => ({ cwd, folder, title: title ?? unsentWords ?? '', createdAt }))
      .sort((a, b) => b.createdAt - a.createdAt),
  };
}

function toSession({ id, cwd, folder, place, summary, title, createdAt }: SavedConversation, isRunning: boolean): readonly SavedSession[] {
  if (place === undefined || summary === undefined) return [];
  return [
    {
      conversationId: id,
      agentId: place.agentId,
      agentLabel: summary.agent.label,
      sessionId: place.sessionId,
      createdAt,
      usedAt: summary.usedAt,
      cwd,
      folder,
      title: title ?? summary.firstWords ?? summary.agentTitle ?? '',
      state: isRunning ? 'running' : summary.turn === 'idle' ? 'idle' : 'interrupted',
    },
  ];
}

/**
 * Returns what `show` accepts for each session: its ID, and for an older session whose ID the agent reused, the ID of its conversation.
 * @param saved newest first
 */
export function referencesOf(saved: readonly SavedSession[]): readonly string[] {
  const seen = new Set<string>();
  return saved.map(({ sessionId, conversationId }) => {
    if (seen.has(sessionId)) return conversationId;
    seen.add(sessionId);
    return sessionId;
  });
}

/**
 * @param wanted the ID of a session or of a conversation, or the beginning of one of them
 * @throws HostError `usage` for no match or several
 */
export function findSession({ sessions }: Saved, wanted: string): SavedSession {
  const found = matching(sessions, wanted, ({ sessionId, conversationId }) => [sessionId, conversationId]);
  const ids = [...new Set(found.map(({ sessionId }) => sessionId))];
  const [session] = found;
  if (session === undefined) throw usageError(`No saved session has the ID "${wanted}". List the IDs with \`acp-host sessions\``);
  if (ids.length > 1) throw usageError(`"${wanted}" matches ${ids.length} sessions: ${ids.join(', ')}`);
  return session;
}

/**
 * Returns those with this ID, by the first kind of ID that one of them has; or else all with an ID that begins so.
 * @param idsOf in the order in which they count
 */
export function matching<T>(all: readonly T[], wanted: string, idsOf: (one: T) => readonly string[]): readonly T[] {
  const places = all.map((one) => idsOf(one).indexOf(wanted)).filter((place) => place >= 0);
  if (places.length > 0) return all.filter((one) => idsOf(one).indexOf(wanted) === Math.min(...places)).slice(0, 1);
  return all.filter((one) => idsOf(one).some((id) => id.startsWith(wanted)));
}

/** A shorter text may be the ID of a session that is not saved. */
const leastOfId = 4;

/**
 * Returns the newest saved session with this ID, or that of the only conversation whose ID begins so; undefined if there is none.
 * @param agentId only of this agent
 */
export function sessionWithId({ sessions }: Saved, wanted: string, agentId?: string): SavedSession | undefined {
  const own = sessions.filter((one) => agentId === undefined || one.agentId === agentId);
  const exact = own.find(({ sessionId }) => sessionId === wanted);
  if (exact !== undefined || wanted.length < leastOfId) return exact;
  const [found, ...others] = own.filter(({ conversationId }) => conversationId.startsWith(wanted));
  return others.length === 0 ? found : undefined;
}

/** @throws HostError as `choiceOf` */
export function agentOf(session: SavedSession | undefined): AgentChoice | undefined {
  return session && choiceOf(session.agentId);
}

/**
 * Returns the most recently used session of this folder.
 * @param folder absolute, without symbolic links
 * @param agentId restricts the search to this agent @throws HostError `session_unknown`
 */
export function newestSession({ sessions }: Saved, folder: string, agentId: string | undefined): SavedSession {
  const found = nearest(
    sessions.filter((session) => agentId === undefined || session.agentId === agentId),
    folder,
  );
  const [newest] = [...found].sort((a, b) => b.usedAt - a.usedAt);
  if (newest?.folder === folder) return newest;
  // The agent would work in another folder than the current one.
  const above = newest === undefined ? '' : `The newest one above it is in ${newest.cwd}, which --cwd selects. `;
  const detail = `No saved session to resume in ${folder}. ${above}Omit --continue to start a new session`;
  throw new HostError('session_unknown', { detail });
}

/** `waiting`: for the user. */
export type ConversationStatus = 'running' | 'waiting' | 'interrupted' | 'idle';

/** Returns undefined for a conversation that is not open. */
export function statusOf({ activity, worksLate, isOnHold, since }: ConversationListEntry): ConversationStatus | undefined {
  if (since === undefined) return undefined;
  if (activity === 'busy' || activity === 'opening') return 'running';
  if (activity === 'needs_input' || activity === 'blocked') return 'waiting';
  if (worksLate === true) return 'running';
  return activity === 'interrupted' || isOnHold ? 'interrupted' : 'idle';
}

/** Whether something runs in it, or waits for the user. */
export function isActive(entry: ConversationListEntry): boolean {
  const status = statusOf(entry);
  return status === 'running' || status === 'waiting';
}

/**
 * @param wanted the ID of a conversation or of its session, or the beginning of one of them
 * @throws HostError `usage` for no match or several
 */
export function findConversation({ list }: EngineClient, wanted: string): ConversationListEntry {
  const newest = [...list.state.conversations].sort((a, b) => b.usedAt - a.usedAt);
  const [found, ...others] = matching(newest, wanted, ({ id, sessionId }) => (sessionId === undefined ? [id] : [id, sessionId]));
  if (found === undefined)
    throw usageError(`No conversation has the ID "${wanted}". List the IDs with \`acp-host status\` or \`acp-host sessions\``);
  if (others.length > 0) throw usageError(`"${wanted}" matches ${others.length + 1} conversations: ${namesOf([found, ...others])}`);
  return found;
}

/**
 * Returns the only conversation in which something runs or waits; if there are several, the only one of this folder, or of the next one above.
 * @param folder absolute, without symbolic links
 * @throws HostError `usage` for none or several
 */
export function onlyActive({ list }: EngineClient, folder: string): ConversationListEntry {
  const all = list.state.conversations.filter(isActive);
  const here = nearest(all, folder);
  const [found, ...others] = here.length === 1 ? here : all;
  if (found === undefined) throw usageError('Nothing runs. Name a conversation, or use --last for the one that was used last');
  if (others.length > 0)
    throw usageError(`Something runs in ${others.length + 1} conversations: ${namesOf([found, ...others])}. Name one of them`);
  return found;
}

/** Returns the one that was used last, in any folder; first those in which something runs. @throws HostError `usage` if there is none */
export function lastUsed({ list }: EngineClient): ConversationListEntry {
  // A window may have opened one in which nothing was sent yet.
  const used = list.state.conversations.filter((one) => one.sessionId !== undefined || isActive(one));
  const [found] = used.sort((a, b) => Number(isActive(b)) - Number(isActive(a)) || b.usedAt - a.usedAt);
  if (found === undefined) throw usageError('There are no conversations yet');
  return found;
}

/**
 * Returns the conversation of this folder that was used last, or else that of the next folder above that has one.
 * @param folder absolute, without symbolic links
 * @throws HostError `usage` if nothing was sent in these folders yet
 */
export function lastUsedIn({ list }: EngineClient, folder: string): ConversationListEntry {
  const used = list.state.conversations.filter((one) => one.sessionId !== undefined);
  const [found] = [...nearest(used, folder)].sort((a, b) => b.usedAt - a.usedAt);
  if (found === undefined)
    throw usageError(`There are no conversations in ${folder} yet. Name one, or use --last for the one that was used last`);
  return found;
}

/** The beginning of an ID that is shown. */
const shownOfId = 8;

/** Returns what is shown of the ID of each, and can be entered instead: as much as distinguishes it from those of the others. */
export function shownIds(all: readonly { readonly id: string }[]): (one: { readonly id: string }) => string {
  const ids = [...new Set(all.map(({ id }) => id))];
  let length = shownOfId;
  while (new Set(ids.map((id) => id.slice(0, length))).size < ids.length) length++;
  return ({ id }) => id.slice(0, length);
}

/** Returns `ID (title)` of each: the IDs alone say nothing. */
function namesOf(all: readonly ConversationListEntry[]): string {
  const shownId = shownIds(all);
  const nameOf = ({ id, title, firstWords = '' }: ConversationListEntry): string => {
    const shown = shownId({ id });
    const words = [...revealOnOneLine(title ?? firstWords)].slice(0, titleLength).join('');
    return words === '' ? shown : `${shown} (${words})`;
  };
  return all.map(nameOf).join(', ');
}

/** Returns those of the folder, or else those of the next one above that has some. */
function nearest<T extends { readonly folder: string }>(all: readonly T[], folder: string): readonly T[] {
  const here = all.filter((one) => one.folder === folder);
  const above = dirname(folder);
  return here.length > 0 || above === folder ? here : nearest(all, above);
}
