import { systemClock } from '../base/clock.js';
import { HostError, toHostError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { type AppendFile, createForAppend, endsInMidLine, openAppend } from '../node/appendFile.js';
import { fileFacts, readText } from '../node/files.js';
import type { SessionEvent } from '../session/event.js';
import { journalName, type SegmentFile, segmentPath } from './journalFiles.js';
import { formatHead, type JournalHeader, parseLasting } from './journalFormat.js';
import { conversationsOf, type KeptConversation, readHead } from './journalLookup.js';
import { JournalQueue, type QueuedEvent } from './journalQueue.js';
import { toStorageError } from './storageError.js';
import { checkpointAfter } from './checkpoint.js';

/** The maximum size of one write. */
const batchChars = 1024 * 1024;

export interface JournalWriterParts {
  readonly directory: string;
  readonly header: JournalHeader;
  /** Starts without an existing file: what is saved under the same ID is another conversation. */
  readonly isNew: boolean;
  /** A file that exceeds this size plus its header is not continued. */
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
  #header: JournalHeader;
  /** The name of the conversation; absent until it is known which conversation of its ID it is. */
  #name: string | undefined;
  readonly #maxBytes: number;
  #file: AppendFile | undefined;
  #path = '';
  /** The lines that were taken from the queue but are not on disk yet; begins with a complete line. */
  #batch: Uint8Array | undefined;
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
    this.#header = parts.header;
    // A header as long as the maximum file size would start file after file.
    this.#maxBytes = parts.segmentBytes + formatHead({ ...parts.header, offsetBytes: 0 }).length;
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
  async #write(batch: Uint8Array): Promise<void> {
    for (let left = batch; left.length > 0; ) {
      const file = await this.#current();
      const head = Buffer.concat([Buffer.from(this.#isTorn ? '\n' : ''), this.#isPartLost ? partLost() : Buffer.alloc(0)]);
      const written = (await file.write(Buffer.concat([head, left]))) - head.length;
      if (written >= 0) [this.#hasWritten, this.#isPartLost] = [true, false];
      this.#leastBytes += written + head.length;
      this.#isTorn = written < left.length;
      left = left.subarray(bytesOfWholeLines(left, written));
      this.#batch = left;
    }
  }

  /** The file to write to now. Its size is checked before each write, because somebody may have removed or cut it. */
  async #current(): Promise<AppendFile> {
    if (this.#file !== undefined) {
      const { sizeBytes, removed } = await this.#file.stat();
      const isCut = sizeBytes < this.#leastBytes;
      this.#leastBytes = sizeBytes;
      if (!removed && !isCut && sizeBytes < this.#maxBytes) return this.#file;
      if (removed || isCut) {
        this.#isPartLost = true;
        this.#parts.log.warn(`The file of a conversation was ${removed ? 'removed' : 'cut'} while in use`, { path: this.#path });
      }
      await this.#closeFile();
    }
    this.#file = await this.#open();
    this.#leastBytes = (await this.#file.stat()).sizeBytes;
    return this.#file;
  }

  async #open(): Promise<AppendFile> {
    let file: AppendFile | undefined;
    while (file === undefined) {
      const kept = await conversationsOf(this.#parts.directory, this.#header);
      const own = this.#findOwn(kept);
      if (own === undefined && this.#hasWritten) this.#isPartLost = true;
      file = await (own === undefined ? this.#beginConversation(kept) : this.#resume(own));
    }
    return file;
  }

  /**
   * Returns none for a new session until it has started, otherwise the conversation with this creation time or one without a creation time.
   */
  #findOwn(kept: readonly KeptConversation[]): KeptConversation | undefined {
    const { createdAt } = this.#header;
    const isOurs = (one: KeptConversation): boolean => one.createdAt === createdAt || one.createdAt === undefined;
    if (this.#name !== undefined) return kept.find((one) => one.name === this.#name && isOurs(one));
    if (this.#parts.isNew) return undefined;
    const newest = kept.at(-1);
    return kept.findLast((one) => one.createdAt === createdAt) ?? (newest?.createdAt === undefined ? newest : undefined);
  }

  /** @returns undefined if another process was faster */
  async #beginConversation(kept: readonly KeptConversation[]): Promise<AppendFile | undefined> {
    const { directory, isNew } = this.#parts;
    const { agentId, sessionId } = this.#header;
    const name = journalName(agentId, sessionId, (kept.at(-1)?.ordinal ?? 0) + 1);
    if (isNew && this.#name === undefined) {
      if (!(await createForAppend(segmentPath(directory, name, 1)))) return undefined;
      this.#header = { ...this.#header, createdAt: uniqueTime(kept, this.#header.createdAt) };
    }
    this.#name = name;
    return this.#begin(name, 1, undefined);
  }

  /** @returns undefined if the file turned out to belong to another conversation */
  async #resume({ name, files, createdAt }: KeptConversation): Promise<AppendFile | undefined> {
    this.#name = name;
    const newest = files.at(-1);
    if (newest === undefined) return this.#begin(name, 1, undefined);
    this.#path = newest.path;
    const head = await readHead(newest.path, this.#header);
    switch (head.type) {
      case 'ours': {
        if (createdAt === undefined && head.header.createdAt !== this.#header.createdAt) return this.#abandon();
        const sizeBytes = (await fileFacts(newest.path))?.sizeBytes ?? 0;
        return sizeBytes < this.#maxBytes ? this.#continue(newest.path) : this.#begin(name, newest.segment + 1, newest);
      }
      case 'empty':
        return this.#begin(name, newest.segment, files.at(-2));
      case 'newer':
      case 'foreign':
        this.#leaveAlone(newest.path, head.type === 'newer' ? 'left_alone_newer' : 'left_alone_foreign');
        return this.#begin(name, newest.segment + 1, undefined);
    }
  }

  /** @param before the file that the new one continues */
  async #headAfter(before: SegmentFile | undefined): Promise<string> {
    const { segmentBytes } = this.#parts;
    const header = this.#header;
    const text = before === undefined ? undefined : await readText(before.path);
    const { head, events } = parseLasting(text ?? '', header);
    if (head.type !== 'ours' || text === undefined) return formatHead({ ...header, offsetBytes: 0 });
    const own = { ...header, offsetBytes: head.header.offsetBytes + Buffer.byteLength(text) };
    const whole = formatHead(own, checkpointAfter(events));
    // The output of open tool calls may be as long as a whole file.
    return whole.length < segmentBytes / 2 ? whole : formatHead(own, checkpointAfter(events.filter(({ type }) => type !== 'tool')));
  }

  async #begin(name: string, segment: number, before: SegmentFile | undefined): Promise<AppendFile | undefined> {
    const head = await this.#headAfter(before);
    const path = segmentPath(this.#parts.directory, name, segment);
    const file = await this.#continue(path);
    // Another process may have started it in the meantime; a second beginning does no harm.
    await writeWhole(file, Buffer.from(head));
    if (segment === 1 && !(await this.#isOurs(path))) return this.#abandon();
    this.#parts.onSegment();
    return file;
  }

  /** Gives up the name, because another conversation with this ID has it. */
  async #abandon(): Promise<undefined> {
    await this.#closeFile();
    this.#name = undefined;
  }

  /** If two conversations with one ID start a file at once, it belongs to the first beginning. */
  async #isOurs(path: string): Promise<boolean> {
    const head = await readHead(path, this.#header);
    return head.type !== 'ours' || head.header.createdAt === this.#header.createdAt;
  }

  async #continue(path: string): Promise<AppendFile> {
    this.#path = path;
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

/** Returns a creation time that no other conversation with the same ID has, because it distinguishes them. */
function uniqueTime(kept: readonly KeptConversation[], now: number): number {
  const taken = new Set(kept.map(({ createdAt }) => createdAt));
  let time = now;
  while (taken.has(time)) time++;
  return time;
}

function partLost(): Uint8Array {
  const params = { cause: 'in_use' } as const;
  const notice: SessionEvent = { type: 'host_notice', at: systemClock.now(), severity: 'warning', code: 'part_removed', params };
  return Buffer.from(`${JSON.stringify(notice)}\n`);
}

async function writeWhole(file: AppendFile, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) written += await file.write(bytes.subarray(written));
}
