/** Assembles a conversation from its files, with notices where parts are missing. */
import { HostError, systemFacts } from '../base/errors.js';
import { readText } from '../node/files.js';
import type { SessionEvent } from '../session/event.js';
import type { HostNotice, LeftAlone } from '../session/hostNotice.js';
import type { SegmentFile } from './journalFiles.js';
import {
  formatVersion,
  isSameSession,
  type JournalEntry,
  LineParser,
  parseHead,
  type SegmentHead,
  type SessionHeader,
} from './journalFormat.js';
import { ToolLineReader } from './toolLines.js';

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

interface ReadFile {
  readonly head: SegmentHead;
  readonly file: SegmentFile;
  readonly parser: LineParser;
}

/**
 * @param files of one conversation, in order
 * @returns undefined if they are empty @throws HostError `storage_failed` if none of them can be read
 */
export async function readJournal(files: readonly SegmentFile[]): Promise<JournalContent | undefined> {
  const unparsed: UnparsedFile[] = [];
  for (const file of files) {
    const text = await readFileOf(file);
    if (text === undefined) continue;
    const lines = text.split('\n');
    unparsed.push({ file, lines, head: parseHead(lines, file.id) });
  }
  const parts = parseFiles(unparsed);
  if (!parts.some(({ head }) => head.type === 'ours')) {
    const unreadable = parts.find(({ head }) => head.type !== 'empty');
    if (unreadable === undefined) return undefined;
    const { head, file } = unreadable;
    throw head.type === 'newer'
      ? new HostError('storage_failed', { reason: 'unreadable_newer', path: file.path, version: head.version, knownVersion: formatVersion })
      : new HostError('storage_failed', { reason: 'unreadable_foreign', path: file.path });
  }
  return {
    sessions: sessionsOf(join(parts)),
    get dropped() {
      return parts.reduce((sum, { parser }) => sum + parser.dropped, 0);
    },
  };
}

interface UnparsedFile extends Pick<ReadFile, 'file' | 'head'> {
  readonly lines: readonly string[];
}

function parseFiles(files: readonly UnparsedFile[]): readonly ReadFile[] {
  return rowsOf(files).flatMap((row) => {
    const tools = new ToolLineReader();
    return row.map(({ file, lines, head }) => ({ file, head, parser: new LineParser(head.type === 'ours' ? lines : [], tools) }));
  });
}

/** After a gap, the state before it is unknown. */
function rowsOf(files: readonly UnparsedFile[]): readonly (readonly UnparsedFile[])[] {
  const rows: UnparsedFile[][] = [];
  for (const one of files) {
    const row = rows.at(-1);
    const before = row?.at(-1);
    if (row === undefined || before?.head.type !== 'ours' || before.file.segment + 1 !== one.file.segment) rows.push([one]);
    else row.push(one);
  }
  return rows;
}

/** @returns undefined if it was removed after the folder was read @throws HostError `storage_failed` */
async function readFileOf({ path }: SegmentFile): Promise<string | undefined> {
  try {
    return await readText(path);
  } catch (cause) {
    throw new HostError('storage_failed', { reason: 'unreadable', path, ...systemFacts(cause) }, { cause });
  }
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

/** All entries in order, each session named once, with notices about missing parts. */
function* join(parts: readonly ReadFile[]): Generator<JournalEntry, void> {
  let missing: HostNotice | undefined;
  let segment = 0;
  let session: SessionHeader | undefined;
  let removedOutput = parts.reduce((sum, { head }) => sum + (head.type === 'ours' ? head.header.removedOutputBytes : 0), 0);
  for (const { file, head, parser } of parts) {
    if (head.type === 'newer' || head.type === 'foreign') {
      missing = { code: 'part_unreadable', params: leftAlone(file.path, head) };
    } else if (head.type === 'ours') {
      if (file.segment > segment + 1) missing ??= removed(segment === 0, head.header.offsetBytes);
      const isReduced = head.header.removedOutputBytes > 0;
      let isFirst = true;
      for (const entry of parser.entries()) {
        if (entry.type === 'session') {
          if (isSameSession(session, entry.session)) continue;
          session = entry.session;
          yield entry;
          continue;
        }
        if (isFirst && missing !== undefined) {
          yield { type: 'host_notice', at: entry.at, severity: 'info', ...missing };
          yield* parser.standingIn(session);
          missing = undefined;
        }
        if (isFirst && isReduced && removedOutput > 0) {
          yield { type: 'host_notice', at: entry.at, severity: 'info', code: 'tool_output_removed', params: { bytes: removedOutput } };
          // Added once for all files.
          removedOutput = 0;
        }
        isFirst = false;
        yield entry;
      }
    }
    segment = file.segment;
  }
}

/** @param bytes of everything before the remaining part */
function removed(isBeginning: boolean, bytes: number): HostNotice {
  return isBeginning ? { code: 'beginning_removed', params: { bytes } } : { code: 'part_removed', params: {} };
}

function leftAlone(path: string, head: SegmentHead): LeftAlone {
  return head.type === 'newer' ? { path, why: 'newer', version: head.version, knownVersion: formatVersion } : { path, why: 'foreign' };
}
