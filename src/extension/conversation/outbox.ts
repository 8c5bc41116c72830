import { randomUUID } from 'node:crypto';
import type { ContentBlock } from '../../core/index.js';

/** A message that no turn has taken yet. It stays until one does. */
export interface UnsentPrompt {
  readonly id: string;
  readonly content: readonly ContentBlock[];
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The messages that are still to be sent, in the order in which they are. */
export class Outbox {
  #prompts: readonly UnsentPrompt[] = [];

  /** Keeps its identity as long as nothing changed. */
  get all(): readonly UnsentPrompt[] {
    return this.#prompts;
  }

  add(content: readonly ContentBlock[]): void {
    this.#prompts = [...this.#prompts, unsent(content)];
  }

  addFirst(content: readonly ContentBlock[]): void {
    this.#prompts = [unsent(content), ...this.#prompts];
  }

  remove(id: string): void {
    this.#prompts = this.#prompts.filter((prompt) => prompt.id !== id);
  }

  /** Hands them over. */
  take(): readonly UnsentPrompt[] {
    const taken = this.#prompts;
    this.#prompts = [];
    return taken;
  }
}

function unsent(content: readonly ContentBlock[]): UnsentPrompt {
  return { id: randomUUID(), content, at: Date.now() };
}
