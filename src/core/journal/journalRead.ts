/** A conversation put together from its files, with words where a part of it is not there. */
import { HostError, toHostError } from '../base/errors.js';
import { fileFacts, readText } from '../node/files.js';
import type { SessionEvent } from '../session/event.js';
import type { SegmentFile } from './journalFiles.js';
import { formatVersion } from './formatVersion.js';
import { firstPromptIn, type JournalHeader, parseHead, parseSegment, type Segment, type SegmentHead } from './journalFormat.js';

/** So much of a file is read for a list. */
const summaryBytes = 64 * 1024;

export interface JournalContent {
  readonly header: JournalHeader;
  /** What is missing is told by notices among them. */
  readonly events: readonly SessionEvent[];
  /** Lines that could not be read. */
  readonly dropped: number;
}

/** What a list shows of a kept conversation; read from the beginning of its file. */
export interface JournalSummary extends JournalHeader {
  /** The text of the first prompt; absent where it is not within the beginning. */
  readonly firstPrompt: string | undefined;
  /** When something was last appended; milliseconds since the epoch. */
  readonly updatedAt: number;
}

interface ReadFile extends Segment {
  readonly file: SegmentFile;
}

/**
 * @param files of one conversation, in order
 * @returns undefined where they are empty @throws HostError `storage_failed` where none of them can be read
 */
export async function readJournal(
  files: readonly SegmentFile[],
  wanted: Pick<JournalHeader, 'agentId' | 'sessionId'>,
): Promise<JournalContent | undefined> {
  const parts: ReadFile[] = [];
  for (const file of files) {
    const text = await readFileOf(file);
    if (text !== undefined) parts.push({ file, ...parseSegment(text, wanted) });
  }
  const headers = parts.flatMap(({ head }) => (head.type === 'ours' ? [head.header] : []));
  const [first] = headers;
  if (first === undefined) {
    const unreadable = parts.find(({ head }) => head.type !== 'empty');
    if (unreadable === undefined) return undefined;
    throw new HostError(
      'storage_failed',
      `The kept conversation cannot be read: ${whyUnreadable(unreadable.head)}; the file was left as it is (${unreadable.file.path})`,
      { data: { path: unreadable.file.path } },
    );
  }
  const { offsetBytes: _, ...header } = first;
  return { header, events: join(parts), dropped: parts.reduce((sum, { dropped }) => sum + dropped, 0) };
}

/** @returns undefined where another window removed it since the folder was read */
async function readFileOf({ path }: SegmentFile): Promise<string | undefined> {
  try {
    return await readText(path);
  } catch (cause) {
    throw new HostError('storage_failed', `The kept conversation cannot be read: ${toHostError(cause).message}`, { cause, data: { path } });
  }
}

function join(parts: readonly ReadFile[]): SessionEvent[] {
  const events: SessionEvent[] = [];
  let missing: string | undefined;
  let segment = 0;
  for (const { file, head, ...part } of parts) {
    if (head.type === 'newer' || head.type === 'foreign') {
      missing = `A part of it is in a file that was left as it is: ${whyUnreadable(head)} (${file.path}).`;
    } else if (head.type === 'ours') {
      if (file.segment > segment + 1) missing ??= removedWords(segment === 0 ? head.header.offsetBytes : undefined);
      if (missing !== undefined) events.push(notice(segment === 0, missing, part.events[0]?.at ?? head.header.createdAt), ...part.standing);
      missing = undefined;
      // One by one: there may be more than a call takes arguments.
      for (const event of part.events) events.push(event);
    }
    segment = file.segment;
  }
  return events;
}

function notice(isBeginning: boolean, description: string, at: number): SessionEvent {
  return {
    type: 'notice',
    at,
    severity: 'info',
    title: isBeginning ? 'The beginning of this conversation is not here' : 'A part of this conversation is not here',
    description,
  };
}

/** @param bytes unknown for a part in the middle */
function removedWords(bytes: number | undefined): string {
  const amount = bytes === undefined ? 'A part' : `${(bytes / (1024 * 1024)).toFixed(1)} MB of older history`;
  return `${amount} was removed from the disk, because the conversation takes more room than one may.`;
}

function whyUnreadable(head: SegmentHead): string {
  return head.type === 'newer'
    ? `it was written by a newer version (format ${head.version}, this one reads ${formatVersion})`
    : 'it is not what its name says';
}

/** One from a newer version is listed too, without its words: whoever opens it is told. @returns undefined for files that are no journal, or cannot be read: they cost only themselves */
export async function summarizeJournal(files: readonly SegmentFile[]): Promise<JournalSummary | undefined> {
  for (const { path } of files) {
    try {
      const lines = (await readText(path, { limitBytes: summaryBytes }))?.split('\n') ?? [];
      const head = parseHead(lines);
      if (head.type !== 'ours' && head.type !== 'newer') continue;
      const { offsetBytes: _, ...header } = head.header;
      const newest = files.at(-1);
      const facts = newest === undefined ? undefined : await fileFacts(newest.path);
      return {
        ...header,
        firstPrompt: head.type === 'ours' ? firstPromptIn(lines) : undefined,
        updatedAt: facts?.modifiedAt ?? header.createdAt,
      };
    } catch {
      continue;
    }
  }
  return undefined;
}
