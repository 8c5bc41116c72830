/** Assembles a conversation from its files, with notices where parts are missing. */
import { HostError, messageOf } from '../base/errors.js';
import { fileFacts, readText } from '../node/files.js';
import type { SessionEvent } from '../session/event.js';
import type { HostNotice, LeftAlone } from '../session/hostNotice.js';
import type { SegmentFile } from './journalFiles.js';
import { formatVersion } from './formatVersion.js';
import { firstPromptIn, type JournalHeader, LineParser, originIn, parseHead, type SegmentHead } from './journalFormat.js';
import { ToolLineReader } from './toolLines.js';

/** How much of a file is read for a list. */
const summaryBytes = 64 * 1024;

/** A journal that was read from disk. */
export interface JournalContent {
  readonly header: JournalHeader;
  /** Includes notices about missing parts. Can be iterated once; each event is parsed when it is taken. */
  readonly events: Iterable<SessionEvent>;
  /** The number of lines that could not be read: of all of them once all events are taken. */
  readonly dropped: number;
}

/** What a list shows of a saved conversation; read from the beginning of its file. */
export interface JournalSummary extends JournalHeader {
  /** The text of the first prompt; absent if it is not within the beginning. */
  readonly firstPrompt: string | undefined;
  /** The session that it continues. */
  readonly continues: string | undefined;
  /** When something was last appended; milliseconds since the epoch. */
  readonly updatedAt: number;
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
export async function readJournal(
  files: readonly SegmentFile[],
  wanted: Pick<JournalHeader, 'agentId' | 'sessionId'>,
): Promise<JournalContent | undefined> {
  const unparsed: UnparsedFile[] = [];
  for (const file of files) {
    const text = await readFileOf(file);
    if (text === undefined) continue;
    const lines = text.split('\n');
    unparsed.push({ file, lines, head: parseHead(lines, wanted) });
  }
  const parts = parseFiles(unparsed);
  const headers = parts.flatMap(({ head }) => (head.type === 'ours' ? [head.header] : []));
  const [first] = headers;
  if (first === undefined) {
    const unreadable = parts.find(({ head }) => head.type !== 'empty');
    if (unreadable === undefined) return undefined;
    const { head, file } = unreadable;
    throw head.type === 'newer'
      ? new HostError('storage_failed', { reason: 'unreadable_newer', path: file.path, version: head.version, knownVersion: formatVersion })
      : new HostError('storage_failed', { reason: 'unreadable_foreign', path: file.path });
  }
  const { offsetBytes: _, removedOutputBytes: _removed, ...header } = first;
  const content: JournalContent = {
    header,
    events: join(parts),
    get dropped() {
      return parts.reduce((sum, { parser }) => sum + parser.dropped, 0);
    },
  };
  return content;
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
    throw new HostError('storage_failed', { reason: 'unreadable', path, detail: messageOf(cause) }, { cause });
  }
}

function* join(parts: readonly ReadFile[]): Generator<SessionEvent, void> {
  let missing: HostNotice | undefined;
  let segment = 0;
  let removedOutput = parts.reduce((sum, { head }) => sum + (head.type === 'ours' ? head.header.removedOutputBytes : 0), 0);
  for (const { file, head, parser } of parts) {
    if (head.type === 'newer' || head.type === 'foreign') {
      missing = { code: 'part_unreadable', params: leftAlone(file.path, head) };
    } else if (head.type === 'ours') {
      const events = parser.events();
      const first = events.next();
      const at = first.done === true ? head.header.createdAt : first.value.at;
      if (file.segment > segment + 1) missing ??= removed(segment === 0, head.header.offsetBytes);
      if (missing !== undefined) {
        yield { type: 'host_notice', at, severity: 'info', ...missing };
        yield* parser.standing;
      }
      missing = undefined;
      if (head.header.removedOutputBytes > 0 && removedOutput > 0) {
        yield { type: 'host_notice', at, severity: 'info', code: 'tool_output_removed', params: { bytes: removedOutput } };
        // Added once for all files.
        removedOutput = 0;
      }
      if (first.done !== true) yield first.value;
      yield* events;
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

/**
 * Also lists a journal from a newer version, without its text: opening it reports the problem.
 * @returns undefined for files that are not a journal or can't be read; other journals are not affected
 */
export async function summarizeJournal(files: readonly SegmentFile[]): Promise<JournalSummary | undefined> {
  for (const { path } of files) {
    try {
      const lines = (await readText(path, { limitBytes: summaryBytes }))?.split('\n') ?? [];
      const head = parseHead(lines);
      if (head.type !== 'ours' && head.type !== 'newer') continue;
      const { offsetBytes: _, removedOutputBytes: _removed, ...header } = head.header;
      const newest = files.at(-1);
      const facts = newest === undefined ? undefined : await fileFacts(newest.path);
      return {
        ...header,
        firstPrompt: head.type === 'ours' ? firstPromptIn(lines) : undefined,
        continues: head.type === 'ours' ? originIn(lines) : undefined,
        updatedAt: facts?.modifiedAt ?? header.createdAt,
      };
    } catch {
      continue;
    }
  }
  return undefined;
}
