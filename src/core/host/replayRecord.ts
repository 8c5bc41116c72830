import type { SessionEvent } from '../session/event.js';

/** More is not listened to: no conversation is that long, and an agent that floods must not fill the memory. */
const limitChars = 8 * 1024 * 1024;

/** Events that tell what was said. Where the host has the transcript already, an agent that tells it again tells old news. */
export const transcriptEvents: ReadonlySet<SessionEvent['type']> = new Set(['message', 'tool', 'plan', 'notice', 'compaction']);

/** What an agent tells of a conversation that is known here already, as far as it says whether both remember the same. */
export class ReplayRecord {
  #told = false;
  #chars = 0;
  readonly #prompts: string[] = [];

  record(event: SessionEvent): void {
    this.#told = true;
    if (event.type !== 'message' || event.role !== 'user' || event.content.type !== 'text' || this.#chars > limitChars) return;
    this.#chars += event.content.text.length;
    this.#prompts.push(event.content.text);
  }

  /** Something was told, by whomever it had been said. */
  get told(): boolean {
    return this.#told;
  }

  /** All that the user said, one after another: where one prompt ends and the next begins, agents do not say. */
  get prompts(): string {
    return this.#prompts.join('');
  }
}
