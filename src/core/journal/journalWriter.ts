import { systemClock } from '../base/clock.js';
import { HostError, toHostError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { type AppendFile, endsInMidLine, openAppend } from '../node/appendFile.js';
import { fileFacts, readText, removeFile } from '../node/files.js';
import type { SessionEvent } from '../session/event.js';
import { checkpointAfter, isContent } from './checkpoint.js';
import { type SegmentFile, segmentPath, segmentsOf, toStorageError } from './journalFiles.js';
import {
  formatHead,
  formatSession,
  headLines,
  isSameSession,
  parseHead,
  parseLasting,
  type SegmentHead,
  type SessionHeader,
} from './journalFormat.js';

/** The maximum size of one write. */
const batchChars = 1024 * 1024;
/** The header is in this much of a file. */
const headBytes = 4 * 1024;

export interface JournalWriterParts {
  readonly directory: string;
  /** Identifies the conversation. */
  readonly id: string;
  /** A file that exceeds this size plus its beginning is not continued. */
  readonly segmentBytes: number;
  /** The limit for events that wait in memory for the disk. */
  readonly waitingChars: number;
  readonly retryMs: number;
  readonly log: Logger;
  /** Called when writing fails; not again until it has worked in between. */
  readonly onTrouble: (error: HostError) => void;
  /** Called when there is a new file. */
  readonly onSegment: () => void;
}

/**
 * Writes lines to the files of one conversation, in order, and combines them when they arrive faster than the disk accepts them. What the
 * disk doesn't accept waits for another attempt. If too much waits, content is left out, and a line reports it.
 */
export class JournalWriter {
  readonly #parts: JournalWriterParts;
  readonly #queue: JournalQueue;
  #file: AppendFile | undefined;
  #path = '';
  /** The session that the current file named last; undefined if that is not known. */
  #named: SessionHeader | undefined;
  /** The lines that were taken from the queue but are not on disk yet; begins with a complete line. */
  #batch: QueuedLines | undefined;
  #writing: Promise<boolean> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #troubled = false;
  #hasWritten = false;
  /** A file was removed or cut, which nothing on the disk shows yet. */
  #isPartLost = false;
  /** The least size of the current file, unless somebody cuts it. */
  #leastBytes = 0;
  /** The disk accepted a part of a line, which the next write begins again on a line of its own. */
  #isTorn = false;
  /** Files of others that have the name of this conversation's files; reported once. */
  readonly #foreign = new Set<string>();

  constructor(parts: JournalWriterParts) {
    this.#parts = parts;
    this.#queue = new JournalQueue(parts.waitingChars);
  }

  append(events: Iterable<QueuedEvent>): void {
    for (const event of events) this.#queue.push(event);
    // After an error, the timer tries again.
    if (!this.#troubled) void this.flush();
  }

  /** Tries to write everything. @returns whether that was done; if not, it is tried again later. Never rejects */
  flush(): Promise<boolean> {
    return (this.#writing ??= this.#writeAll());
  }

  async close(): Promise<void> {
    await this.flush();
    clearTimeout(this.#retry);
    await this.#closeFile();
    const left = this.#queue.length;
    if (left > 0 || this.#batch !== undefined)
      this.#parts.log.error('A conversation was closed before all of it could be saved', { path: this.#path });
  }

  async #writeAll(): Promise<boolean> {
    // Waits for lines that are appended in the same task, to write them at once.
    await Promise.resolve();
    clearTimeout(this.#retry);
    try {
      for (;;) {
        this.#batch ??= this.#queue.take(batchChars);
        if (this.#batch === undefined) break;
        await this.#write(this.#batch);
        this.#batch = undefined;
        this.#onRecovered();
      }
      return true;
    } catch (error) {
      await this.#fail(error);
      return false;
    } finally {
      this.#writing = undefined;
    }
  }

  /** If the disk accepted only a part, continues with the line that was cut off. What is lost is reported first. */
  async #write({ session, bytes }: QueuedLines): Promise<void> {
    for (let left = bytes; left.length > 0; ) {
      const file = await this.#current(session);
      const name = this.#named === session ? '' : formatSession(session);
      const head = Buffer.from(`${this.#isTorn ? '\n' : ''}${name}${this.#isPartLost ? partLost() : ''}`);
      const written = (await file.write(Buffer.concat([head, left]))) - head.length;
      if (written >= 0) [this.#hasWritten, this.#isPartLost, this.#named] = [true, false, session];
      this.#leastBytes += written + head.length;
      this.#isTorn = written < left.length;
      left = left.subarray(bytesOfWholeLines(left, written));
      this.#batch = { session, bytes: left };
    }
  }

  /** The file to write to now. Its size is checked before each write, because somebody may have removed or cut it. */
  async #current(session: SessionHeader): Promise<AppendFile> {
    if (this.#file !== undefined) {
      const { sizeBytes, removed } = await this.#file.stat();
      const isCut = sizeBytes < this.#leastBytes;
      this.#leastBytes = sizeBytes;
      if (!removed && !isCut && sizeBytes < this.#maxBytes(session)) return this.#file;
      if (removed || isCut) {
        this.#isPartLost = true;
        this.#parts.log.warn(`The file of a conversation was ${removed ? 'removed' : 'cut'} while in use`, { path: this.#path });
      }
      await this.#closeFile();
    }
    this.#file = await this.#open(session);
    this.#leastBytes = (await this.#file.stat()).sizeBytes;
    return this.#file;
  }

  /** A file that is larger is not continued. A beginning as long as the limit would start file after file. */
  #maxBytes(session: SessionHeader): number {
    const { id, segmentBytes } = this.#parts;
    return segmentBytes + formatHead({ id, offsetBytes: 0 }).length + formatSession(session).length;
  }

  /** @param session what is written next belongs to it */
  async #open(session: SessionHeader): Promise<AppendFile> {
    const files = await segmentsOf(this.#parts.directory, this.#parts.id);
    const newest = files.at(-1);
    if (newest === undefined) {
      if (this.#hasWritten) this.#isPartLost = true;
      return this.#begin(1, undefined, session);
    }
    this.#path = newest.path;
    const head = await readHead(newest);
    switch (head.type) {
      case 'ours': {
        const sizeBytes = (await fileFacts(newest.path))?.sizeBytes ?? 0;
        return sizeBytes < this.#maxBytes(session) ? this.#continue(newest.path) : this.#begin(newest.segment + 1, newest, session);
      }
      case 'empty':
        return this.#begin(newest.segment, files.at(-2), session);
      case 'newer':
      case 'foreign':
        this.#leaveAlone(newest.path, head.type === 'newer' ? 'left_alone_newer' : 'left_alone_foreign');
        return this.#begin(newest.segment + 1, undefined, session);
    }
  }

  /** @param before the file that the new one continues */
  async #begin(segment: number, before: SegmentFile | undefined, session: SessionHeader): Promise<AppendFile> {
    const { directory, id, onSegment } = this.#parts;
    const head = await this.#headAfter(before, session);
    const file = await this.#continue(segmentPath(directory, id, segment));
    try {
      await writeWhole(file, Buffer.from(head));
    } catch (error) {
      // With half of its beginning, it would not have what was open before.
      if (before !== undefined) await removeFile(this.#path);
      throw error;
    }
    this.#named = session;
    onSegment();
    return file;
  }

  async #headAfter(before: SegmentFile | undefined, session: SessionHeader): Promise<string> {
    const { id, segmentBytes } = this.#parts;
    const text = before === undefined ? undefined : await readText(before.path);
    const head = parseHead(text?.split('\n', headLines) ?? [], id);
    if (head.type !== 'ours' || text === undefined) return `${formatHead({ id, offsetBytes: 0 })}${formatSession(session)}`;
    const own = formatHead({ id, offsetBytes: head.header.offsetBytes + Buffer.byteLength(text) });
    const { session: last, events } = parseLasting(text);
    // What another session left open is over.
    const standing = isSameSession(last, session) ? events : [];
    const whole = formatSession(session, checkpointAfter(standing));
    // The output of open tool calls may be as long as a whole file.
    const isLong = whole.length >= segmentBytes / 2;
    return `${own}${isLong ? formatSession(session, checkpointAfter(standing.filter(({ type }) => type !== 'tool'))) : whole}`;
  }

  async #continue(path: string): Promise<AppendFile> {
    this.#path = path;
    this.#named = undefined;
    const torn = await endsInMidLine(path);
    const file = await openAppend(path);
    this.#file = file;
    if (torn) await writeWhole(file, Buffer.from('\n'));
    // Otherwise an empty line would separate the line that was cut off from the complete one, and readers would count it as lost.
    this.#isTorn = false;
    return file;
  }

  #leaveAlone(path: string, reason: 'left_alone_newer' | 'left_alone_foreign'): void {
    if (this.#foreign.has(path)) return;
    this.#foreign.add(path);
    const error = new HostError('storage_failed', { reason, path });
    this.#parts.log.warn('Left a file among the saved conversations unchanged', { path, reason });
    this.#parts.onTrouble(error);
  }

  async #fail(cause: unknown): Promise<void> {
    this.#queue.isStuck = true;
    await this.#closeFile();
    this.#retry = setTimeout(() => void this.flush(), this.#parts.retryMs);
    this.#retry.unref();
    if (this.#troubled) return;
    this.#troubled = true;
    const error = toStorageError(cause, this.#parts.directory);
    this.#parts.log.error('Could not save a conversation; trying again', cause);
    this.#parts.onTrouble(error);
  }

  #onRecovered(): void {
    if (!this.#troubled) return;
    this.#troubled = false;
    this.#queue.isStuck = false;
    this.#parts.log.info('The conversation is being saved again', { path: this.#path });
  }

  /** Opened again for the next write, because the disk or the folder may have changed by then. */
  async #closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    try {
      await file?.close();
    } catch (error) {
      this.#parts.log.warn('Could not close the file of a conversation', toHostError(error));
    }
  }
}

/** The size of the complete lines among the bytes that the disk accepted. */
function bytesOfWholeLines(bytes: Uint8Array, written: number): number {
  if (written <= 0) return 0;
  return bytes[written] === 0x0a ? written + 1 : bytes.lastIndexOf(0x0a, written - 1) + 1;
}

function partLost(): string {
  const params = { cause: 'in_use' } as const;
  const notice: SessionEvent = { type: 'host_notice', at: systemClock.now(), severity: 'warning', code: 'part_removed', params };
  return `${JSON.stringify(notice)}\n`;
}

/** @throws the system's error */
async function readHead({ path, id }: SegmentFile): Promise<SegmentHead> {
  const beginning = await readText(path, { limitBytes: headBytes });
  return parseHead(beginning?.split('\n') ?? [], id);
}

async function writeWhole(file: AppendFile, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) written += await file.write(bytes.subarray(written));
}

export interface QueuedEvent {
  /** The session to which the event belongs. */
  readonly session: SessionHeader;
  readonly event: SessionEvent;
  /** Returns the line for the journal; called only when it is about to be written. */
  readonly line: () => string;
}

interface Line {
  readonly session: SessionHeader;
  readonly text: string;
}

/** Missing events: the disk was too slow for them, and there was no room for them in memory. */
interface Gap {
  readonly session: SessionHeader;
  cause: 'disk' | 'pace';
  readonly since: number;
  until: number;
  events: number;
}

interface QueuedLines {
  readonly session: SessionHeader;
  /** Complete lines in UTF-8. */
  readonly bytes: Uint8Array;
}

/**
 * Lines that wait for the disk. Beyond the limit, content is left out until the disk has caught up; turns and requests get the
 * same amount of room again.
 */
export class JournalQueue {
  readonly #limitChars: number;
  #waiting: (Line | Gap)[] = [];
  #chars = 0;
  #gap: Gap | undefined;
  #isStuck = false;

  constructor(limitChars: number) {
    this.#limitChars = limitChars;
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** Whether the disk currently accepts nothing. A gap gets its reason from this. */
  set isStuck(isStuck: boolean) {
    this.#isStuck = isStuck;
    if (isStuck && this.#gap !== undefined) this.#gap.cause = 'disk';
  }

  push(queued: QueuedEvent): void {
    const { session, event, line } = queued;
    const full = this.#gap !== undefined || this.#chars > this.#limitChars;
    if (full && (isContent(event) || this.#chars > 2 * this.#limitChars)) return this.#leaveOut(queued);
    const text = line();
    this.#waiting.push({ session, text });
    this.#chars += text.length;
  }

  /** Removes and returns the oldest lines, all of one session. @returns undefined if nothing waits */
  take(limitChars: number): QueuedLines | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const { session } = first;
    let chars = 0;
    const lines: string[] = [];
    for (const entry of this.#waiting) {
      if (lines.length > 0 && (chars > limitChars || entry.session !== session)) break;
      const line = 'text' in entry ? entry.text : gapLine(entry);
      // Later events belong to another gap.
      if (entry === this.#gap) this.#gap = undefined;
      if ('text' in entry) this.#chars -= line.length;
      lines.push(line);
      chars += line.length;
    }
    this.#waiting.splice(0, lines.length);
    return { session, bytes: Buffer.from(lines.join('')) };
  }

  #leaveOut({ session, event: { at } }: QueuedEvent): void {
    if (this.#gap === undefined)
      this.#waiting.push((this.#gap = { session, cause: this.#isStuck ? 'disk' : 'pace', since: at, until: at, events: 0 }));
    this.#gap.until = at;
    this.#gap.events++;
  }
}

function gapLine({ cause, since, until, events }: Gap): string {
  const notice: SessionEvent = {
    type: 'host_notice',
    at: until,
    severity: 'warning',
    code: 'events_missing',
    params: { since, until, events, cause },
  };
  return `${JSON.stringify(notice)}\n`;
}
