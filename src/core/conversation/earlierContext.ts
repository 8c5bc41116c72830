import type { ContentBlock, SessionOrigin, SessionState } from '../session/model.js';
import { contextBlock, contextOf, type ConversationContext, defaultContextLimitChars, isContextBlock } from './context.js';
import type { ForkPoint } from './ports.js';

/**
 * What the next prompt brings to an agent that doesn't know the earlier sessions: a part of them as text, unless the agent can fork the last
 * one.
 */
export class EarlierContext {
  readonly #sessions: () => readonly SessionState[];
  #context: ConversationContext | undefined;
  #fork: ForkPoint | undefined;

  /** @param sessions the sessions that the one on screen continues, oldest first */
  constructor(sessions: () => readonly SessionState[]) {
    this.#sessions = sessions;
  }

  /** If undefined, nothing is sent. */
  get current(): ConversationContext | undefined {
    return this.#context;
  }

  /** Where the agent may fork instead. It stays until a prompt is sent, because a session without messages is opened anew. */
  get fork(): ForkPoint | undefined {
    return this.#fork;
  }

  stage(fork?: ForkPoint): void {
    this.#context = offeredContext(this.#sessions());
    this.#fork = fork;
  }

  clear(): void {
    this.#context = undefined;
    this.#fork = undefined;
  }

  /** Adds it once before the content of a prompt, unless the session is a fork. A resent prompt may already have it. */
  attach(content: readonly ContentBlock[], { fork }: SessionOrigin): readonly ContentBlock[] {
    const isKnown = this.#context === undefined || fork === 'made' || content.some(isContextBlock);
    const block = isKnown ? undefined : contextBlock(this.#sessions());
    this.clear();
    return block === undefined ? content : [block, ...content];
  }
}

/** Undefined if there were no messages. */
export function offeredContext(sessions: readonly SessionState[]): ConversationContext | undefined {
  const context = contextOf(sessions, defaultContextLimitChars);
  return context.turns === 0 ? undefined : context;
}

export function withoutContext(content: readonly ContentBlock[]): readonly ContentBlock[] {
  return content.filter((block) => !isContextBlock(block));
}
