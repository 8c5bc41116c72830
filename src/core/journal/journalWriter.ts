import { systemClock } from '../base/clock.js';
import { HostError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { OneByOne } from '../base/oneByOne.js';
import { fileFacts, openAppend } from '../node/files.js';
import type { SessionEvent } from '../session/event.js';
import { formatHead, formatSession, journalPath, readHead, type SessionHeader, toStorageError } from './journalFormat.js';

/** The maximum size of one write. */
const batchChars = 1024 * 1024;

export interface JournalWriterParts {
  readonly directory: string;
  /** Identifies the conversation. */
  readonly id: string;
  readonly growthBytes: number;
  /** The limit for events that wait in memory for the disk. */
  readonly waitingChars: number;
  readonly retryMs: number;
  readonly log: Logger;
  /** Called when writing fails; not again until it has worked in between. */
  readonly onTrouble: (error: HostError) => void;
  /** Called when the file is new, or has grown by `growthBytes`. */
  readonly onGrowth: () => void;
  /** Called when somebody removed or cut the file: what follows must not build on what it had. */
  readonly onPartLost: () => void;
}

/**
 * The one owner of the file of a conversation. Writes lines to it, in order, and combines them when they arrive faster than the disk accepts
 * them. What the disk doesn't accept waits for another attempt. If too much waits, content is left out, and a line reports it.
 */
export class JournalWriter {
  readonly #parts: JournalWriterParts;
  readonly #path: string;
  readonly #queue: JournalQueue;
  /** The session that the file named last; undefined if that is not known. */
  #named: SessionHeader | undefined;
  /** The lines that were taken from the queue but are not on disk yet. */
  #batch: QueuedLines | undefined;
  /** Everything that happens to the file, one after the other. */
  readonly #works = new OneByOne();
  #writing: Promise<boolean> | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** Why nothing is written at the moment. */
  #trouble: HostError | undefined;
  /** The size of the file after the last write; undefined before the first one. */
  #sizeBytes: number | undefined;

  constructor(parts: JournalWriterParts) {
    this.#parts = parts;
    this.#path = journalPath(parts.directory, parts.id);
    this.#queue = new JournalQueue(parts.waitingChars);
  }

  append(event: QueuedEvent): void {
    this.#queue.push(event);
    // After an error, the timer tries again.
    if (this.#trouble === undefined) void this.flush();
  }

  /** Tries to write everything. @returns whether that was done; if not, it is tried again later. Never rejects */
  flush(): Promise<boolean> {
    return (this.#writing ??= this.#works.run(() => this.#writeAll()));
  }

  /** Writes everything. @throws HostError `storage_failed` if that is not possible at the moment */
  async save(): Promise<void> {
    await this.flush();
    if (this.#trouble !== undefined) throw this.#trouble;
  }

  /** Does something with the file while nothing is written to it. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#works.run(async () => {
      try {
        return await work();
      } finally {
        if (this.#sizeBytes !== undefined) this.#sizeBytes = (await fileFacts(this.#path).catch(() => undefined))?.sizeBytes;
      }
    });
  }

  /** Writes what waits. It may go on afterwards. */
  async close(): Promise<void> {
    const isSaved = await this.flush();
    this.#named = this.#sizeBytes = undefined;
    // It is tried again. Who opens the conversation again is told again.
    this.#trouble = undefined;
    if (!isSaved) this.#parts.log.error('A conversation was closed before all of it could be saved', { path: this.#path });
  }

  /** Forgets what waits, for a conversation that is removed. */
  discard(): void {
    clearTimeout(this.#retry);
    this.#batch = undefined;
    while (this.#queue.take(batchChars) !== undefined) continue;
  }

  /** Nothing happens to the file, and nothing waits for it. */
  get isIdle(): boolean {
    return this.#works.isIdle && this.#batch === undefined && this.#queue.isEmpty;
  }

  async #writeAll(): Promise<boolean> {
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
      this.#fail(error);
      return false;
    } finally {
      this.#writing = undefined;
    }
  }

  /** Opens the file each time, because the disk or the folder may have changed. */
  async #write({ session, bytes }: QueuedLines): Promise<void> {
    const { directory, id, log, growthBytes, onGrowth, onPartLost } = this.#parts;
    if (this.#sizeBytes === undefined) await readHead(directory, id);
    const file = await openAppend(this.#path, this.#sizeBytes);
    const before = file.sizeBytes;
    let after = before;
    try {
      // Somebody removed or cut it, which nothing on the disk shows yet.
      const isPartLost = before < (this.#sizeBytes ?? 0);
      this.#sizeBytes ??= before;
      if (isPartLost) {
        onPartLost();
        log.warn(`The file of a conversation was ${before === 0 ? 'removed' : 'cut'} while in use`, { path: this.#path });
      }
      const name = before > 0 && this.#named === session && !isPartLost ? '' : formatSession(session);
      const head = Buffer.from(`${before === 0 ? formatHead({ id }) : ''}${name}${isPartLost ? partLost() : ''}`);
      await file.append(Buffer.concat([head, bytes]));
      after += head.length + bytes.length;
    } finally {
      // Only then is it known to be there: some disks report a failed write late.
      await file.close();
    }
    this.#named = session;
    this.#sizeBytes = after;
    if (before === 0 || Math.floor(before / growthBytes) < Math.floor(after / growthBytes)) onGrowth();
  }

  #fail(cause: unknown): void {
    this.#queue.isStuck = true;
    this.#retry = setTimeout(() => void this.flush(), this.#parts.retryMs);
    this.#retry.unref();
    if (this.#trouble !== undefined) return;
    const { directory, log, onTrouble } = this.#parts;
    log.error('Could not save a conversation; trying again', cause);
    this.#trouble =
      cause instanceof HostError
        ? new HostError('storage_failed', { reason: 'left_alone', path: this.#path }, { cause })
        : toStorageError(cause, directory);
    onTrouble(this.#trouble);
  }

  #onRecovered(): void {
    this.#queue.isStuck = false;
    if (this.#trouble === undefined) return;
    this.#trouble = undefined;
    this.#parts.log.info('The conversation is being saved again', { path: this.#path });
  }
}

function partLost(): string {
  const notice: SessionEvent = { type: 'host_notice', at: systemClock.now(), severity: 'warning', code: 'part_removed', params: {} };
  return `${JSON.stringify(notice)}\n`;
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

/** Whether an event can be left out without making the rest meaningless: content, as opposed to turns and requests. */
function isContent(event: SessionEvent): boolean {
  return contentTypes.has(event.type) || (event.type === 'plan' && event.text !== undefined);
}
const contentTypes: ReadonlySet<SessionEvent['type']> = new Set([
  'message',
  'tool',
  'notice',
  'host_notice',
  'compaction',
  'usage',
  'wait',
]);

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

  /** Whether the disk currently accepts nothing. A gap gets its reason from this. */
  set isStuck(isStuck: boolean) {
    this.#isStuck = isStuck;
    if (isStuck && this.#gap !== undefined) this.#gap.cause = 'disk';
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
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
