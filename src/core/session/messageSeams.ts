import type { SessionEvent } from './event.js';
import { beginsSentence, messageKey } from './growingMessages.js';

/** A message in a stream of events. It is compared by identity. */
export interface SeenMessage {
  readonly key: string;
  /** The agent gave it an id, so that it may go on after a tool call. */
  readonly isNamed: boolean;
  /** The last characters of its text. */
  tail: string;
}

/**
 * Tells which message of the agent itself a chunk belongs to, for readers of events that do not keep the transcript. Same rules as
 * `appendMessage`. What sub-agents say is in no way of it.
 */
export class MessageSeams {
  /** The messages that a chunk may be appended to, and those that may go on below a tool call. */
  readonly #growing = new Map<string, SeenMessage>();
  readonly #named = new Map<string, SeenMessage>();
  readonly #tools = new Set<string>();
  #turnId: string | undefined;
  #thought: SeenMessage | undefined;

  /** Call this for each event. Returns the message of a chunk of the agent. */
  take(event: SessionEvent): SeenMessage | undefined {
    if ('subagentId' in event && event.subagentId !== undefined) return undefined;
    switch (event.type) {
      case 'turn_started':
        this.#turnId = event.turnId;
        this.#end();
        return undefined;
      case 'turn_ended':
      case 'opened':
        this.#turnId = undefined;
        this.#end();
        return undefined;
      case 'tool':
        if (!this.#tools.has(event.id)) this.#growing.clear();
        this.#tools.add(event.id);
        return undefined;
      case 'message':
        return this.#takeChunk(event);
      default:
        return undefined;
    }
  }

  mayGoOn(message: SeenMessage): boolean {
    return (message.isNamed ? this.#named : this.#growing).get(message.key) === message;
  }

  #takeChunk({ role, messageId, content }: Extract<SessionEvent, { type: 'message' }>): SeenMessage | undefined {
    const turnId = this.#turnId;
    if (role === 'user') {
      if (turnId === undefined) this.#end();
      else for (const unnamed of ['agent', 'thought'] as const) this.#growing.delete(messageKey({ role: unnamed, turnId }));
      return undefined;
    }
    const isNamed = messageId !== undefined;
    const key = messageKey({ role, turnId, ...(isNamed ? { messageId } : {}) });
    const known = this.#growing.get(key);
    const text = content.type === 'text' ? content.text : undefined;
    if (known !== undefined && text === '') return known;
    const goesOn =
      role === 'thought' ? this.#thought === known : this.#thought === undefined || !beginsSentence(known?.tail ?? '', content);
    const message = (isNamed || goesOn ? known : undefined) ?? (isNamed ? this.#named.get(key) : undefined) ?? { key, isNamed, tail: '' };
    message.tail = text === undefined ? '' : (message.tail + text).slice(-4);
    this.#growing.set(key, message);
    if (isNamed) this.#named.set(key, message);
    this.#thought = role === 'thought' ? message : undefined;
    return message;
  }

  #end(): void {
    this.#growing.clear();
    this.#named.clear();
    this.#thought = undefined;
  }
}
