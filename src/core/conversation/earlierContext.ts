import type { ContentBlock, SessionState } from '../session/model.js';
import { contextBlock, contextOf, type ConversationContext, defaultContextLimitChars, isContextBlock } from './context.js';

/** What of the earlier sessions goes with the next prompt, as text, so that an agent that knows nothing of them reads it first. */
export class EarlierContext {
  readonly #sessions: () => readonly SessionState[];
  #context: ConversationContext | undefined;

  /** @param sessions those that the session on screen goes on from, oldest first */
  constructor(sessions: () => readonly SessionState[]) {
    this.#sessions = sessions;
  }

  /** Absent: nothing goes. */
  get current(): ConversationContext | undefined {
    return this.#context;
  }

  stage(): void {
    this.#context = offeredContext(this.#sessions());
  }

  clear(): void {
    this.#context = undefined;
  }

  /** Puts it before the words of a prompt; once. A prompt that is sent again may carry it already. */
  attach(content: readonly ContentBlock[]): readonly ContentBlock[] {
    const block = this.#context === undefined || content.some(isContextBlock) ? undefined : contextBlock(this.#sessions());
    this.#context = undefined;
    return block === undefined ? content : [block, ...content];
  }
}

/** Undefined where nothing was said. */
export function offeredContext(sessions: readonly SessionState[]): ConversationContext | undefined {
  const context = contextOf(sessions, defaultContextLimitChars);
  return context.turns === 0 ? undefined : context;
}

export function withoutContext(content: readonly ContentBlock[]): readonly ContentBlock[] {
  return content.filter((block) => !isContextBlock(block));
}
