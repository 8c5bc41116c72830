import { type ContentBlock, contextBlock, contextOf, type ConversationContext, defaultContextLimitChars } from '../../core/index.js';
import type { Thread } from './thread.js';

/** What of the sessions above goes with the next message, as text, so that an agent that knows nothing of them reads it first. */
export class EarlierContext {
  readonly #thread: Thread;
  #context: ConversationContext | undefined;

  constructor(thread: Thread) {
    this.#thread = thread;
  }

  /** Absent: nothing goes. */
  get current(): ConversationContext | undefined {
    return this.#context;
  }

  /** What stands above now goes with the next message. */
  stage(): void {
    const context = contextOf(this.#thread.earlierSessions, defaultContextLimitChars);
    this.#context = context.turns === 0 ? undefined : context;
  }

  clear(): void {
    this.#context = undefined;
  }

  /** Before the words of a message; goes once. */
  attach(content: readonly ContentBlock[]): readonly ContentBlock[] {
    const block = this.#context === undefined ? undefined : contextBlock(this.#thread.earlierSessions);
    if (block === undefined) return content;
    this.#context = undefined;
    return [block, ...content];
  }
}
