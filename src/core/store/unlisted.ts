/** Finds journals that no saved conversation refers to, for example of a program that was killed. Each chain of sessions is one conversation. */
import { findKnownAgent } from '../agents/knownAgents.js';
import { journalName, listSegments, type SegmentFile } from '../journal/journalFiles.js';
import { type JournalSummary, summarizeJournal } from '../journal/journalRead.js';
import { type LastTurn, lastTurnOf } from '../journal/lastTurn.js';
import { realFolderPath } from '../node/smallFiles.js';
import type { ConversationFacts } from './savedFormat.js';

interface Claim {
  readonly base: string;
  /** If undefined, any creation time matches. */
  readonly createdAt: number | undefined;
}

const claimsByFacts = new WeakMap<ConversationFacts, readonly Claim[]>();

/** Whether one of these journals belongs to the conversation. @param names of the journals */
export function isOneOf(names: ReadonlySet<string>, facts: ConversationFacts): boolean {
  const bases = new Set([...names].map(baseOf));
  return claimsOf(facts).some(({ base }) => bases.has(base));
}

/** The name of the first conversation with the same ID. */
function baseOf(name: string): string {
  return name.replace(/-\d+$/, '');
}

/** The journals of a conversation: that of the session at its place, and those before. */
function claimsOf(facts: ConversationFacts): readonly Claim[] {
  const known = claimsByFacts.get(facts);
  if (known !== undefined) return known;
  const { place, summary } = facts;
  const sessions = place === undefined ? [] : [place, ...(summary?.earlier ?? [])];
  const agentId = place?.agentId ?? '';
  const claims = sessions.map(({ sessionId, createdAt }) => ({ base: journalName(agentId, sessionId), createdAt }));
  claimsByFacts.set(facts, claims);
  return claims;
}

export interface JournalSurvey {
  readonly unlisted: readonly ConversationFacts[];
  /** IDs of conversations whose messages were removed to free space. */
  readonly emptied: ReadonlySet<string>;
}

interface Found extends JournalSummary {
  readonly name: string;
  readonly lastTurn: LastTurn | undefined;
}

/** @param directory of the journals @throws HostError `storage_failed` if it can't be read */
export async function surveyJournals(directory: string, listed: readonly ConversationFacts[]): Promise<JournalSurvey> {
  const segments = await listSegments(directory);
  const claims = grouped(listed.filter(({ summary }) => summary !== undefined).flatMap(claimsOf), ({ base }) => base);
  const namesByBase = grouped(segments.keys(), baseOf);
  const found: Found[] = [];
  for (const [base, names] of namesByBase) {
    const claimed = claims.get(base) ?? [];
    if (claimed.length >= names.length) continue;
    for (const name of names) {
      const one = await summarize(name, segments.get(name) ?? []);
      if (one !== undefined && !claimed.some(({ createdAt }) => createdAt === undefined || createdAt === one.createdAt)) found.push(one);
    }
  }
  return { unlisted: toConversations(found), emptied: emptiedOf(listed, namesByBase) };
}

function grouped<T>(all: Iterable<T>, keyOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
}

async function summarize(name: string, files: readonly SegmentFile[]): Promise<Found | undefined> {
  const summary = await summarizeJournal(files);
  return summary && { ...summary, name, lastTurn: await lastTurnOf(files) };
}

function emptiedOf(listed: readonly ConversationFacts[], namesByBase: ReadonlyMap<string, unknown>): ReadonlySet<string> {
  const emptied = listed.filter((facts) => {
    const claims = claimsOf(facts);
    return facts.summary !== undefined && claims.length > 0 && !claims.some(({ base }) => namesByBase.has(base));
  });
  return new Set(emptied.map(({ id }) => id));
}

function toConversations(found: readonly Found[]): readonly ConversationFacts[] {
  const newestFirst = [...found].sort((a, b) => b.createdAt - a.createdAt);
  const bySession = grouped(newestFirst, ({ agentId, sessionId }) => sessionKey(agentId, sessionId));
  const taken = new Set<Found>();
  return newestFirst.flatMap((last) => {
    if (taken.has(last)) return [];
    const chain: Found[] = [];
    for (let one: Found | undefined = last; one !== undefined; one = before(one, bySession, taken)) {
      taken.add(one);
      chain.push(one);
    }
    return [toFacts(last, chain.slice(1).reverse())];
  });
}

/** Returns the newest session that this one may continue. */
function before(
  { agentId, continues, createdAt }: Found,
  bySession: ReadonlyMap<string, readonly Found[]>,
  taken: ReadonlySet<Found>,
): Found | undefined {
  if (continues === undefined) return undefined;
  return bySession.get(sessionKey(agentId, continues))?.find((one) => one.createdAt <= createdAt && !taken.has(one));
}

function sessionKey(agentId: string, sessionId: string): string {
  return JSON.stringify([agentId, sessionId]);
}

/** Uses the name as the ID, so that two processes that find it at the same time use the same ID. */
function toFacts(last: Found, earlier: readonly Found[]): ConversationFacts {
  const { name, agentId, sessionId, createdAt, cwd, updatedAt, continues, lastTurn } = last;
  const first = earlier[0] ?? last;
  return {
    id: name,
    cwd,
    folder: realFolderPath(cwd),
    place: { agentId, sessionId, createdAt, continues, withContext: false },
    summary: {
      agent: { id: agentId, label: findKnownAgent(agentId)?.label ?? agentId },
      agentTitle: undefined,
      firstWords: first.firstPrompt ?? last.firstPrompt,
      usedAt: updatedAt,
      turn: lastTurn === 'interrupted' ? 'interrupted' : 'idle',
      earlier: earlier.map((one) => ({ sessionId: one.sessionId, createdAt: one.createdAt })),
    },
    unsentWords: undefined,
    title: undefined,
    createdAt: first.createdAt,
    isPinned: false,
    isArchived: false,
    isUnread: false,
    leavesOutOpenFile: false,
    isDeleted: false,
  };
}
