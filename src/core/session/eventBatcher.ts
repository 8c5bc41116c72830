import type { Disposable } from '../base/disposable.js';
import type { SessionEvent } from './event.js';
import { isPlainText } from './reduceMessage.js';

/** One frame of a 60 Hz screen: users can't see more than one state within it. */
const intervalMs = 16;
/** The limit at which pending events are handed over early, so that few are pending during a flood. */
const maxPending = 4096;

type MessageEvent = Extract<SessionEvent, { type: 'message' }>;

/**
 * Adjacent chunks of one message. Their texts are joined once, at the end: joining them one by one would build a chain of strings as long
 * as the message.
 */
interface Run {
  latest: MessageEvent;
  readonly texts: string[];
}

/** Joins adjacent chunks of the same message into one event. */
export function joinChunks(events: readonly SessionEvent[]): readonly SessionEvent[] {
  const joined: SessionEvent[] = [];
  const batcher = new EventBatcher((batch) => joined.push(...batch));
  for (const event of events) batcher.push(event);
  batcher.dispose();
  return joined;
}

/**
 * Collects events and hands them over at most once per interval, with adjacent chunks of a message joined: a token then costs one string
 * instead of one state. Keeps the order.
 */
export class EventBatcher implements Disposable {
  #pending: SessionEvent[] = [];
  /** Follows everything in `#pending`. */
  #run: Run | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #onBatch: (events: readonly SessionEvent[]) => void;

  /** @param onBatch is called synchronously from `flush` or from a timer; must not throw */
  constructor(onBatch: (events: readonly SessionEvent[]) => void) {
    this.#onBatch = onBatch;
  }

  push(event: SessionEvent): void {
    const text = event.type === 'message' && isPlainText(event.content) ? event.content.text : undefined;
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
    else this.#timer ??= setTimeout(() => this.flush(), intervalMs);
  }

  /** Hands over all pending events immediately. */
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
  return last.role === event.role && last.messageId === event.messageId && last.subagentId === event.subagentId;
}
