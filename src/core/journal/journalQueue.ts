import type { SessionEvent } from '../session/event.js';
import { isContent } from './checkpoint.js';

export interface QueuedEvent {
  readonly event: SessionEvent;
  /** Its line of the journal; made only where it is going to be written. */
  readonly line: () => string;
}

interface Line {
  readonly at: number;
  readonly text: string;
}

/** Where events are missing: they came while the disk took less than that and there was no room for them in memory. */
interface Gap {
  cause: 'disk' | 'pace';
  readonly since: number;
  until: number;
  events: number;
}

/**
 * Lines on their way to the disk. Beyond the limit what was said and done is left out until the disk has caught up; who had the turn, and what was
 * asked, gets as much room again.
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

  /** Whether the disk takes something at the moment: a gap has its reason from it. */
  set isStuck(isStuck: boolean) {
    this.#isStuck = isStuck;
    if (isStuck && this.#gap !== undefined) this.#gap.cause = 'disk';
  }

  push({ event, line }: QueuedEvent): void {
    const full = this.#gap !== undefined || this.#chars > this.#limitChars;
    if (full && (isContent(event) || this.#chars > 2 * this.#limitChars)) return this.#leaveOut(event);
    const text = line();
    this.#waiting.push({ at: event.at, text });
    this.#chars += text.length;
  }

  /** The lines that waited longest, whole ones, in UTF-8. @returns undefined where nothing waits */
  take(limitChars: number): Uint8Array | undefined {
    let chars = 0;
    const lines: string[] = [];
    for (const entry of this.#waiting) {
      if (lines.length > 0 && chars > limitChars) break;
      const line = 'text' in entry ? entry.text : gapLine(entry);
      // Who comes after it is not in it.
      if (entry === this.#gap) this.#gap = undefined;
      if ('text' in entry) this.#chars -= line.length;
      lines.push(line);
      chars += line.length;
    }
    this.#waiting.splice(0, lines.length);
    return lines.length === 0 ? undefined : Buffer.from(lines.join(''));
  }

  /** What was said later than that is not written. @param at milliseconds since the epoch */
  dropAfter(at: number): void {
    this.#waiting = this.#waiting.filter((entry) => ('text' in entry ? entry.at : entry.since) <= at);
    this.#chars = this.#waiting.reduce((chars, entry) => chars + ('text' in entry ? entry.text.length : 0), 0);
  }

  #leaveOut({ at }: SessionEvent): void {
    if (this.#gap === undefined)
      this.#waiting.push((this.#gap = { cause: this.#isStuck ? 'disk' : 'pace', since: at, until: at, events: 0 }));
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
