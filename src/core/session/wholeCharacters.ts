import type { SessionEvent } from './event.js';

/** Half of a character that needs two UTF-16 units: no text for a program that expects Unicode. */
const half = /\p{Surrogate}/gu;
const replacement = '\uFFFD';

/** Replaces halves of characters. */
export function wellFormed(text: string): string {
  return text.replace(half, replacement);
}

/** Replaces halves of characters in JSON, where `JSON.stringify` writes them as escapes that other parsers refuse. */
export function wellFormedJson(json: string): string {
  if (!json.includes('\\ud')) return json;
  return json.replace(/\\(?:(ud[89a-f][0-9a-f]{2})|.)/g, (escape, isHalf: string | undefined) =>
    isHalf === undefined ? escape : replacement,
  );
}

/** Whether the rest of the last character may follow. */
function endsInHalf(text: string): boolean {
  return /[\uD800-\uDBFF]$/.test(text);
}

type Message = Extract<SessionEvent, { type: 'message' }>;

/** Joins the halves of a character that an agent sends in two chunks of a message, so that every chunk is a text by itself. */
export class WholeCharacters {
  /** Chunks that end in half a character; by role, id and sub-agent. */
  readonly #open = new Map<string, { readonly event: Message; readonly half: string }>();

  /** @returns the events that can go on now, in order */
  pass(event: SessionEvent): readonly SessionEvent[] {
    if (event.type === 'turn_ended' || event.type === 'opened') return [...this.end(), event];
    if (event.type !== 'message' || event.content.type !== 'text') return [event];
    const { text } = event.content;
    if (this.#open.size === 0 && !endsInHalf(text)) return [withText(event, wellFormed(text))];
    const key = `${event.role}\0${event.messageId}\0${event.subagentId}`;
    const before = this.#open.get(key);
    this.#open.delete(key);
    const whole = (before?.half ?? '') + text;
    if (!endsInHalf(whole)) return [withText(event, wellFormed(whole))];
    this.#open.set(key, { event, half: whole.slice(-1) });
    return whole.length === 1 ? [] : [withText(event, wellFormed(whole.slice(0, -1)))];
  }

  /** @returns what was never completed, because nothing else comes */
  end(): readonly SessionEvent[] {
    const rest = [...this.#open.values()].map(({ event, half }) => withText(event, wellFormed(half)));
    this.#open.clear();
    return rest;
  }
}

function withText(event: Message, text: string): Message {
  return event.content.type === 'text' && event.content.text !== text ? { ...event, content: { ...event.content, text } } : event;
}
