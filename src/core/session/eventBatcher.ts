import type { Disposable } from '../base/disposable.js';
import type { SessionEvent } from './event.js';
import { isPlainText } from './reduceMessage.js';

/** One frame of a 60 Hz screen: users can't see more than one state within it. */
const intervalMs = 16;
/** The limit at which pending events are handed over early, so that few are pending during a flood. */
const maxPending = 4096;

/**
 * Joins adjacent chunks of the same message into one event. Their texts are joined once: joining them one by one would build a chain of
 * strings as long as the message.
 */
export function joinChunks(events: readonly SessionEvent[]): readonly SessionEvent[] {
  const joined: SessionEvent[] = [];
  let texts: string[] = [];
  for (const [index, event] of events.entries()) {
    const text = textOf(event);
    const next = events[index + 1];
    if (text !== undefined) texts.push(text);
    if (text !== undefined && next !== undefined && textOf(next) !== undefined && isSameMessage(event, next)) continue;
    joined.push(event.type === 'message' && texts.length > 1 ? { ...event, content: { type: 'text', text: texts.join('') } } : event);
    texts = [];
  }
  return joined;
}

/** Whether both are chunks of one message, if nothing is between them. */
export function isSameMessage(one: SessionEvent, other: SessionEvent): boolean {
  if (one.type !== 'message' || other.type !== 'message') return false;
  return (
    one.role === other.role && one.messageId === other.messageId && one.promptId === other.promptId && one.subagentId === other.subagentId
  );
}

function textOf(event: SessionEvent): string | undefined {
  return event.type === 'message' && isPlainText(event.content) ? event.content.text : undefined;
}

/**
 * Collects events and hands them over at most once per interval, with adjacent chunks of a message joined: a token then costs one string
 * instead of one state. Keeps the order.
 */
export class EventBatcher implements Disposable {
  #pending: SessionEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #onBatch: (events: readonly SessionEvent[]) => void;

  /** @param onBatch is called synchronously from `flush` or from a timer; must not throw */
  constructor(onBatch: (events: readonly SessionEvent[]) => void) {
    this.#onBatch = onBatch;
  }

  push(event: SessionEvent): void {
    this.#pending.push(event);
    if (this.#pending.length >= maxPending) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), intervalMs);
  }

  /** Hands over all pending events immediately. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending.length === 0) return;
    const events = this.#pending;
    this.#pending = [];
    this.#onBatch(joinChunks(events));
  }

  dispose(): void {
    this.flush();
  }
}
