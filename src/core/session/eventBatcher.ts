import type { Disposable } from '../base/disposable.js';
import type { SessionEvent, ToolPatch } from './event.js';
import { isPlainText } from './reduceMessage.js';

/** One frame of a 60 Hz screen: users can't see more than one state within it. */
const intervalMs = 16;
/** The limit at which pending events are handed over early, so that few are pending during a flood. */
const maxPending = 4096;

/** Joins batches into one, as if they had been collected together. Leads to the same state. */
export function joinSessionEvents(events: readonly SessionEvent[]): readonly SessionEvent[] {
  const joined = new JoinedEvents();
  for (const event of events) joined.add(event);
  return joined.take();
}

/**
 * Joins adjacent chunks of the same message, and leaves out what is replaced. Texts are joined once: joining them one by one would build a
 * chain of strings as long as the message. Retains only the last event of each message and the texts of those before it: what waits for a
 * batch is moved by each collection of garbage.
 */
class JoinedEvents {
  #events: SessionEvent[] = [];
  /** The texts of the last event and of those that were joined with it. */
  #texts: string[] = [];

  add(event: SessionEvent): void {
    const text = textOf(event);
    const last = this.#events.length - 1;
    const before = this.#events[last];
    if (text !== undefined && this.#texts.length > 0 && before !== undefined && isSameMessage(before, event)) this.#events[last] = event;
    else {
      this.#joinTexts();
      this.#events.push(event);
    }
    if (text !== undefined) this.#texts.push(text);
  }

  take(): readonly SessionEvent[] {
    this.#joinTexts();
    const events = withoutReplaced(this.#events);
    this.#events = [];
    return events;
  }

  #joinTexts(): void {
    const last = this.#events.length - 1;
    const event = this.#events[last];
    if (event?.type === 'message' && this.#texts.length > 1) {
      this.#events[last] = { ...event, content: { type: 'text', text: this.#texts.join('') } };
    }
    this.#texts = [];
  }
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

/** The long members of a patch. Unlike its status, they have no effect on anything but the value that they replace. */
const replaceable = ['content', 'rawOutput', 'rawInput', 'locations'] as const satisfies readonly (keyof ToolPatch)[];

/**
 * Leaves out of the updates of a tool call what a later one of these events replaces as a whole: an agent sends the whole output with each
 * of them. The first one gets the last value: what is printed when a call ends need not wait for a repetition of its end. Leads to the same
 * state.
 */
export function withoutReplaced(events: readonly SessionEvent[]): readonly SessionEvent[] {
  const last = new Map<string, unknown>();
  for (const event of events) {
    if (event.type !== 'tool') continue;
    for (const member of replaceable) if (event.patch[member] !== undefined) last.set(`${member} ${event.id}`, event.patch[member]);
  }
  if (last.size === 0) return events;
  return events.map((event) => (event.type === 'tool' ? { ...event, patch: withLast(last, event.id, event.patch) } : event));
}

/** @param last the values of the calls; those of this patch are removed */
function withLast(last: Map<string, unknown>, id: string, patch: ToolPatch): ToolPatch {
  const result: Record<string, unknown> = { ...patch };
  for (const member of replaceable) {
    if (patch[member] === undefined) continue;
    const key = `${member} ${id}`;
    if (last.has(key)) result[member] = last.get(key);
    else delete result[member];
    last.delete(key);
  }
  return result;
}

/**
 * Collects events and hands them over at most once per interval, joined: a token then costs one string instead of one state. Keeps the
 * order.
 */
export class EventBatcher implements Disposable {
  readonly #joined = new JoinedEvents();
  #pending = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #onBatch: (events: readonly SessionEvent[]) => void;

  /** @param onBatch is called synchronously from `flush` or from a timer; must not throw */
  constructor(onBatch: (events: readonly SessionEvent[]) => void) {
    this.#onBatch = onBatch;
  }

  push(event: SessionEvent): void {
    this.#joined.add(event);
    if (++this.#pending >= maxPending) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), intervalMs);
  }

  /** Hands over all pending events immediately. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending === 0) return;
    this.#pending = 0;
    this.#onBatch(this.#joined.take());
  }

  dispose(): void {
    this.flush();
  }
}
