import type { SessionEvent } from '../session/event.js';
import { isContent } from './checkpoint.js';
import type { SessionHeader } from './journalFormat.js';

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

export interface QueuedLines {
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
