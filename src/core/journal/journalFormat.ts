/**
 * The file of a conversation, `ID.jsonl`: one JSON object per line. The first line is the header. Then come the sessions of the conversation:
 * a line that names the session, and its events. Additions to a tool call have their own kind of line (toolLines.ts). The last line of a
 * program that was killed may be incomplete.
 */
import { basename, join } from 'node:path';
import * as z from 'zod/mini';
import { HostError, systemFacts } from '../base/errors.js';
import { parseJson } from '../base/parseJson.js';
import { listFiles, readText } from '../node/files.js';
import type { SessionEvent } from '../session/event.js';
import type { HostNotice } from '../session/hostNotice.js';
import { ToolLineReader } from './toolLines.js';

/** The version of the files. No other one is read. */
export const formatVersion = 7;
const formatName = 'acp-host-journal';
const headerStart = `{"format":"${formatName}"`;
const sessionStart = '{"session":';
/** The header is in this much of a file. */
const headBytes = 4 * 1024;

const headerSchema = z.object({
  id: z.string(),
  removedBytes: z._default(z.number(), 0),
  removedOutputBytes: z._default(z.number(), 0),
  leanBytes: z._default(z.number(), 0),
});
const anyVersion = z.object({ format: z.literal(formatName), version: z.number() });
const sessionSchema = z.object({
  session: z.object({ id: z.string(), agentId: z.string(), sessionId: z.string(), cwd: z.string(), createdAt: z.number() }),
});

/** A session of a conversation, as its journal names it. */
export interface SessionHeader {
  /** The host's id. */
  readonly id: string;
  readonly agentId: string;
  readonly sessionId: string;
  readonly cwd: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

export interface JournalHeader {
  /** Identifies the conversation. */
  readonly id: string;
  /** The size of the beginning that was removed. */
  readonly removedBytes: number;
  /** The size of the tool output that was removed. */
  readonly removedOutputBytes: number;
  /** The size of the lines when all tool output was removed; 0: it never was. */
  readonly leanBytes: number;
}

/** A session as it was read from disk. */
export interface JournalSession extends SessionHeader {
  /** Includes notices about missing parts. Can be iterated once, before the next session is taken; each event is parsed when it is taken. */
  readonly events: Iterable<SessionEvent>;
}

/** A journal that was read from disk. */
export interface JournalContent {
  /** Oldest first. Can be iterated once. */
  readonly sessions: Iterable<JournalSession>;
  /** The number of lines that could not be read: of all of them once all events are taken. */
  readonly dropped: number;
}

/** @param id of the conversation */
export function journalPath(directory: string, id: string): string {
  return join(directory, `${id}.jsonl`);
}

/** The ids of the conversations of which there is a journal. @throws HostError `storage_failed` if the folder can't be read */
export async function listJournals(directory: string): Promise<ReadonlySet<string>> {
  try {
    const names = (await listFiles(directory, '.jsonl')).map((path) => basename(path, '.jsonl'));
    return new Set(names.filter((name) => !name.includes('.')));
  } catch (cause) {
    throw toFolderError(cause, directory);
  }
}

export function formatHead(header: Pick<JournalHeader, 'id'> & Partial<JournalHeader>): string {
  return `${JSON.stringify({ format: formatName, version: formatVersion, ...header })}\n`;
}

/** The line before the events of a session. */
export function formatSession({ id, agentId, sessionId, cwd, createdAt }: SessionHeader): string {
  return `${JSON.stringify({ session: { id, agentId, sessionId, cwd, createdAt } })}\n`;
}

/** @returns undefined for a line that names no session */
export function parseSession(line: string): SessionHeader | undefined {
  return line.startsWith(sessionStart) ? sessionSchema.safeParse(parseJson(line)).data?.session : undefined;
}

/**
 * @param text of the file of this conversation, or its beginning
 * @returns undefined if it is empty, or has only a piece of the header
 * @throws HostError `storage_failed` for a file of another version, conversation or program
 */
export function parseHead(text: string, id: string, path: string): JournalHeader | undefined {
  const end = text.indexOf('\n');
  if (end < 0 && (headerStart.startsWith(text) || text.startsWith(headerStart))) return undefined;
  const head = parseJson(text.slice(0, Math.max(end, 0)));
  const { version } = anyVersion.safeParse(head).data ?? {};
  if (version !== undefined && version !== formatVersion)
    throw new HostError('storage_failed', { reason: 'unreadable_version', path, version, knownVersion: formatVersion });
  const header = version === undefined ? undefined : headerSchema.safeParse(head).data;
  if (header?.id !== id) throw new HostError('storage_failed', { reason: 'unreadable_foreign', path });
  return header;
}

/** Like `parseHead`, of the file. @throws also the system's error */
export async function readHead(directory: string, id: string): Promise<JournalHeader | undefined> {
  const path = journalPath(directory, id);
  return parseHead((await readText(path, { limitBytes: headBytes })) ?? '', id, path);
}

/** @returns undefined if there is none, or it is empty @throws HostError `storage_failed` if it can't be read */
export async function readJournal(directory: string, id: string): Promise<JournalContent | undefined> {
  const path = journalPath(directory, id);
  let text: string | undefined;
  try {
    text = await readText(path);
  } catch (cause) {
    throw new HostError('storage_failed', { reason: 'unreadable', path, ...systemFacts(cause) }, { cause });
  }
  const header = parseHead(text ?? '', id, path);
  return header && parseJournal((text ?? '').split('\n').slice(1), noticesOf(header));
}

type JournalEntry = SessionEvent | { readonly type: 'session'; readonly session: SessionHeader };

/** @param lines after the header @param notices what the conversation says first */
export function parseJournal(lines: Iterable<string>, notices: readonly HostNotice[] = []): JournalContent {
  let dropped = 0;
  let untold = notices;
  function* entries(): Generator<JournalEntry, void> {
    const tools = new ToolLineReader();
    let current: string | undefined;
    for (const line of lines) {
      if (line === '') continue;
      const session = parseSession(line);
      if (session !== undefined) {
        // It is named again whenever it is opened again.
        if (session.id === current) continue;
        current = session.id;
        tools.forget();
        yield { type: 'session', session };
        continue;
      }
      const event = tools.parse(parseJson(line));
      if (event === undefined) dropped++;
      else {
        for (const notice of untold) yield { type: 'host_notice', at: event.at, severity: 'info', ...notice };
        untold = [];
        yield event;
      }
    }
  }
  return {
    sessions: sessionsOf(entries()),
    get dropped() {
      return dropped;
    },
  };
}

function noticesOf({ removedBytes, removedOutputBytes }: JournalHeader): readonly HostNotice[] {
  return [
    ...(removedBytes > 0 ? [{ code: 'beginning_removed', params: { bytes: removedBytes } } as const] : []),
    ...(removedOutputBytes > 0 ? [{ code: 'tool_output_removed', params: { bytes: removedOutputBytes } } as const] : []),
  ];
}

function* sessionsOf(entries: Iterator<JournalEntry, void>): Generator<JournalSession, void> {
  let next = entries.next();
  const take = (): void => void (next = entries.next());
  function* events(): Generator<SessionEvent, void> {
    for (; next.done !== true && next.value.type !== 'session'; take()) yield next.value;
  }
  while (next.done !== true) {
    const entry = next.value;
    take();
    // Events without the name of their session can't be shown.
    if (entry.type === 'session') yield { ...entry.session, events: events() };
    for (const _ of events()) continue;
  }
}

/** The error for a folder of saved conversations that can't be listed. */
export function toFolderError(cause: unknown, directory: string): HostError {
  return new HostError('storage_failed', { reason: 'folder_unreadable', path: directory, ...systemFacts(cause) }, { cause });
}

/** The error for a disk that doesn't accept data. @param folder where the conversations are saved @param reason names what is not saved */
export function toStorageError(cause: unknown, folder: string, reason: 'not_saved' | 'unsent_not_saved' = 'not_saved'): HostError {
  return new HostError('storage_failed', { reason, path: folder, ...systemFacts(cause) }, { cause });
}
