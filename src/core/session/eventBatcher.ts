import type { Disposable } from '../base/disposable.js';
import type { SessionEvent } from './event.js';
import { isPlainText } from './reduceMessage.js';

/** One frame of a 60 Hz screen: nobody sees more than one state in it. */
const defaultIntervalMs = 16;
/** A flood is reduced in portions, so that what waits here stays small. */
const maxPending = 4096;

type MessageEvent = Extract<SessionEvent, { type: 'message' }>;

/** Neighbouring chunks of one message. Their texts are joined once, at the end: joined one by one they are a chain as long as the message. */
interface Run {
  latest: MessageEvent;
  readonly texts: string[];
}

/** Neighbouring chunks of one message as one event each. */
export function joinChunks(events: readonly SessionEvent[]): readonly SessionEvent[] {
  const joined: SessionEvent[] = [];
  const batcher = new EventBatcher((batch) => joined.push(...batch));
  for (const event of events) batcher.push(event);
  batcher.dispose();
  return joined;
}

export interface BatcherOptions {
  readonly intervalMs?: number;
  /** Chunks stay as they came. */
  readonly keepsChunks?: boolean;
}

/**
 * Collects events and hands them on at most once per interval, with neighbouring chunks of one message joined:
 * a token costs one string here, not one state. Order is kept.
 */
export class EventBatcher implements Disposable {
  #pending: SessionEvent[] = [];
  /** Comes after all that is pending. */
  #run: Run | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #onBatch: (events: readonly SessionEvent[]) => void;
  readonly #intervalMs: number;
  readonly #keepsChunks: boolean;

  /** @param onBatch called synchronously from `flush`, or from a timer; must not throw */
  constructor(onBatch: (events: readonly SessionEvent[]) => void, o: BatcherOptions = {}) {
    this.#onBatch = onBatch;
    this.#intervalMs = o.intervalMs ?? defaultIntervalMs;
    this.#keepsChunks = o.keepsChunks === true;
  }

  push(event: SessionEvent): void {
    const joins = !this.#keepsChunks && event.type === 'message' && isPlainText(event.content);
    const text = joins ? event.content.text : undefined;
    if (event.type !== 'message' || text === undefined) {
      this.#endRun();
      this.#pending.push(event);
    } else if (this.#run !== undefined && continues(this.#run.latest, event)) {
      this.#run.latest = event;
      this.#run.texts.push(text);
    } else {
      this.#endRun();
      this.#run = { latest: event, texts: [text] };
    }
    if (this.#pending.length >= maxPending) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), this.#intervalMs);
  }

  /** Hands over what waits, now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#endRun();
    if (this.#pending.length === 0) return;
    const events = this.#pending;
    this.#pending = [];
    this.#onBatch(events);
  }

  dispose(): void {
    this.flush();
  }

  #endRun(): void {
    if (this.#run === undefined) return;
    const { latest, texts } = this.#run;
    this.#run = undefined;
    this.#pending.push(texts.length === 1 ? latest : { ...latest, content: { type: 'text', text: texts.join('') } });
  }
}

function continues(last: MessageEvent, event: MessageEvent): boolean {
  return last.role === event.role && last.messageId === event.messageId;
}
