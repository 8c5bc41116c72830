import type { Disposable } from '../base/disposable.js';
import type { SessionEvent } from './event.js';
import { isPlainText } from './reduceMessage.js';

/** One frame of a 60 Hz screen: nobody sees more than one state in it. */
const defaultIntervalMs = 16;
/** A flood is reduced in portions, so that what waits here stays small. */
const maxPending = 4096;

/**
 * Collects events and hands them on at most once per interval, with neighbouring chunks of one message joined:
 * a token costs one object here, not one state. Order is kept.
 */
export class Intake implements Disposable {
  #pending: SessionEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #onBatch: (events: readonly SessionEvent[]) => void;
  readonly #intervalMs: number;

  /** @param onBatch called synchronously from `flush`, or from a timer; must not throw */
  constructor(onBatch: (events: readonly SessionEvent[]) => void, intervalMs = defaultIntervalMs) {
    this.#onBatch = onBatch;
    this.#intervalMs = intervalMs;
  }

  push(event: SessionEvent): void {
    const pending = this.#pending;
    const last = pending.at(-1);
    const joined = last === undefined ? undefined : join(last, event);
    if (joined === undefined) pending.push(event);
    else pending[pending.length - 1] = joined;
    if (pending.length >= maxPending) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), this.#intervalMs);
  }

  /** Hands over what waits, now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending.length === 0) return;
    const events = this.#pending;
    this.#pending = [];
    this.#onBatch(events);
  }

  dispose(): void {
    this.flush();
  }
}

function join(last: SessionEvent, event: SessionEvent): SessionEvent | undefined {
  if (last.type !== 'message' || event.type !== 'message' || last.role !== event.role || last.messageId !== event.messageId) return undefined;
  if (!isPlainText(last.content) || !isPlainText(event.content)) return undefined;
  return { ...event, content: { type: 'text', text: last.content.text + event.content.text } };
}
