/** Shows and changes the queue of the agent. */
import type { Logger } from '../../base/logger.js';
import type { SessionEvent } from '../../session/event.js';
import type { ContentBlock } from '../../session/model.js';
import type { PiCalls } from './piCalls.js';
import { PiQueue } from './piQueue.js';
import { nothing, queueSchema } from './schema/answers.js';

export interface PiWaitingParts {
  readonly calls: PiCalls;
  readonly log: Logger;
  readonly timeoutMs: number;
  /** Whether the agent reports its queue; otherwise the queue consists of what was sent and not echoed yet. */
  readonly isTold: boolean;
  readonly now: () => number;
  readonly emit: (event: SessionEvent) => void;
}

export class PiWaiting {
  readonly #parts: PiWaitingParts;
  readonly #queue = new PiQueue();
  /** True while the host rearranges the queue: what the agent reports meanwhile is temporary. */
  #isRearranging = false;

  constructor(parts: PiWaitingParts) {
    this.#parts = parts;
  }

  /** Call this with everything that waits, in the agent's order. */
  told(words: readonly string[]): void {
    if (!this.#isRearranging) this.#tell(this.#queue.replace(words, this.#parts.now()));
  }

  sent(words: string, content: readonly ContentBlock[]): void {
    if (!this.#parts.isTold) this.#tell(this.#queue.add(words, content, this.#parts.now()));
  }

  saidBack(words: string): void {
    if (!this.#parts.isTold) this.#tell(this.#queue.take(words, this.#parts.now()));
  }

  /** The agent can only clear its whole queue, so this sends the other prompts again. */
  async remove(promptId: string): Promise<void> {
    const { log } = this.#parts;
    const rest = this.#queue.without(promptId);
    if (rest === undefined || this.#isRearranging) return;
    this.#isRearranging = true;
    let left: readonly string[] = rest;
    try {
      left = await this.#keepOnly([...rest]);
    } catch (error) {
      log.warn('What waits in the agent could not be rearranged', error);
    } finally {
      this.#isRearranging = false;
      this.told(left);
    }
  }

  async #keepOnly(rest: string[]): Promise<readonly string[]> {
    const { calls, timeoutMs } = this.#parts;
    const { steering, followUp } = await calls.request({ command: { type: 'clear_queue' }, answer: queueSchema, timeoutMs });
    const left: string[] = [];
    const again = [
      ...steering.map((message) => ({ message, streamingBehavior: 'steer' })),
      ...followUp.map((message) => ({ message, streamingBehavior: 'followUp' })),
    ];
    for (const { message, streamingBehavior } of again) {
      const index = rest.indexOf(message);
      if (index < 0) continue;
      rest.splice(index, 1);
      await calls.request({ command: { type: 'prompt', message, streamingBehavior }, answer: nothing, timeoutMs });
      left.push(message);
    }
    return left;
  }

  #tell(events: readonly SessionEvent[]): void {
    for (const event of events) this.#parts.emit(event);
  }
}
