import type { ContentBlock, SessionState } from '../session/model.js';
import { contextBlock, contextOf, type ConversationContext, defaultContextLimitChars, isContextBlock } from './context.js';

/** The part of the earlier sessions that is sent as text with the next prompt, for an agent that doesn't know them. */
export class EarlierContext {
  readonly #sessions: () => readonly SessionState[];
  #context: ConversationContext | undefined;

  /** @param sessions the sessions that the one on screen continues, oldest first */
  constructor(sessions: () => readonly SessionState[]) {
    this.#sessions = sessions;
  }

  /** If undefined, nothing is sent. */
  get current(): ConversationContext | undefined {
    return this.#context;
  }

  stage(): void {
    this.#context = offeredContext(this.#sessions());
  }

  clear(): void {
    this.#context = undefined;
  }

  /** Adds it once before the content of a prompt. A resent prompt may already have it. */
  attach(content: readonly ContentBlock[]): readonly ContentBlock[] {
    const block = this.#context === undefined || content.some(isContextBlock) ? undefined : contextBlock(this.#sessions());
    this.#context = undefined;
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
