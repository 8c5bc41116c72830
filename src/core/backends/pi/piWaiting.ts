/** Shows and changes the queue of the agent. */
import type { Logger } from '../../base/logger.js';
import type { SessionEvent } from '../../session/event.js';
import type { ContentBlock, QueuedPrompt } from '../../session/model.js';
import type { PiCalls } from './piCalls.js';
import { type PiPrompt, imagesIn } from './piContent.js';
import type { JoiningDelivery } from './piPrompts.js';
import { echoed, PiQueue, type WaitingPrompt } from './piQueue.js';
import { queueSchema } from './schema/answers.js';

export interface PiWaitingParts {
  readonly calls: PiCalls;
  readonly log: Logger;
  /** Whether the agent reports its queue; otherwise the queue consists of what was sent and not echoed yet. */
  readonly isTold: boolean;
  readonly now: () => number;
  readonly emit: (event: SessionEvent) => void;
  /** Sends a prompt to the running turn. @throws HostError if there is none, or the agent refuses the prompt */
  readonly send: (prompt: PiPrompt, delivery: JoiningDelivery) => Promise<void>;
  readonly isLost: () => boolean;
}

/** No user reads more of them. The others are shown when they come up. */
const mostShown = 64;

export class PiWaiting {
  readonly #parts: PiWaitingParts;
  readonly #queue = new PiQueue();
  /** Prompts that the agent has not answered yet. It reports only their text, and before the answer. */
  readonly #sending = new Set<{ readonly words: string; readonly content: readonly ContentBlock[] }>();
  /** The ids of the prompts that the user has removed, until the agent has dropped them. */
  readonly #removed = new Set<string>();
  #arranged: Promise<void> = Promise.resolve();
  /** True while the host rearranges the queue: what the agent reports meanwhile is temporary, except the last of it. */
  #isRearranging = false;
  #lastTold: readonly string[] | undefined;

  constructor(parts: PiWaitingParts) {
    this.#parts = parts;
  }

  /** Settles when the queue is in order, so that a prompt can be added to it. Never rejects. */
  get arranged(): Promise<void> {
    return this.#arranged;
  }

  /** Call this with everything that waits, in the agent's order. */
  told(words: readonly string[]): void {
    if (this.#isRearranging) this.#lastTold = words;
    else this.#replace(words.slice(0, mostShown));
  }

  /**
   * Call this before a prompt is sent.
   * @returns call this with whether the agent accepted it
   */
  sending(words: string, content: readonly ContentBlock[]): (isAccepted: boolean) => void {
    const one = { words, content };
    this.#sending.add(one);
    return (isAccepted) => {
      this.#sending.delete(one);
      if (isAccepted && !this.#parts.isTold) this.#tell(this.#queue.add(words, content, this.#parts.now()));
    };
  }

  saidBack(words: string): void {
    if (!this.#parts.isTold && words !== '') this.#tell(this.#queue.take(words, this.#parts.now()));
  }

  /**
   * Call this before the agent is asked how many prompts wait: one that has come back as something else is only missed by their number.
   * @returns call this with the number, if it is known
   */
  counting(): (count: number | undefined) => void {
    const asked = this.#queue.all.map(({ prompt }) => prompt.id);
    return (count) => {
      if (this.#parts.isTold || count !== 0) return;
      for (const id of asked) this.#tell(this.#queue.remove(id, this.#parts.now()));
    };
  }

  /**
   * The agent can only clear its whole queue, so this sends the other prompts again.
   * @returns the other prompts that the agent did not accept again
   * @throws HostError `request_failed` if the agent refuses to clear its queue
   */
  remove(promptId: string): Promise<readonly QueuedPrompt[]> {
    this.#removed.add(promptId);
    const removal = this.#arranged.then(() => this.#rearrange(promptId)).finally(() => this.#removed.delete(promptId));
    this.#arranged = removal.then(
      () => {},
      () => {},
    );
    return removal;
  }

  async #rearrange(promptId: string): Promise<readonly QueuedPrompt[]> {
    const { calls, isLost } = this.#parts;
    // The agent has it by now, or an earlier removal dropped it too.
    if (!this.#queue.all.some(({ prompt }) => prompt.id === promptId)) return [];
    this.#isRearranging = true;
    this.#lastTold = undefined;
    try {
      const { steering, followUp } = await calls.request({ command: { type: 'clear_queue' }, answer: queueSchema });
      this.#lastTold ??= [];
      this.#replace([...steering, ...followUp]);
      return await this.#sendAgain(this.#queue.all, steering.length);
    } finally {
      this.#isRearranging = false;
      // The queue of a lost agent stays as it was, so that the host can return it to the user.
      if (this.#lastTold !== undefined && !isLost()) this.told(this.#lastTold);
    }
  }

  /**
   * @param cleared all prompts that waited, the steers first
   * @returns those that the agent refuses now
   */
  async #sendAgain(cleared: readonly WaitingPrompt[], steers: number): Promise<readonly QueuedPrompt[]> {
    const { send, isLost, now, log } = this.#parts;
    const refused: QueuedPrompt[] = [];
    for (const [index, { prompt, words }] of cleared.entries()) {
      if (!this.#removed.has(prompt.id)) {
        try {
          await send({ message: words, ...imagesIn(prompt.content) }, index < steers ? 'steer' : 'followUp');
          continue;
        } catch (error) {
          log.warn('Could not resend a prompt that was queued in the agent', error);
          if (isLost()) return [];
          refused.push(prompt);
        }
      }
      this.#tell(this.#queue.remove(prompt.id, now()));
    }
    return refused;
  }

  #replace(words: readonly string[]): void {
    this.#tell(this.#queue.replace(words, this.#parts.now(), (text) => this.#contentOf(text)));
  }

  /** The agent may have expanded a command, and reports only what it has become. */
  #contentOf(text: string): readonly ContentBlock[] {
    const one = echoed(text, [...this.#sending]);
    if (one === undefined) return [{ type: 'text', text }];
    this.#sending.delete(one);
    return one.words === text ? one.content : [{ type: 'text', text }, ...one.content.filter(({ type }) => type === 'image')];
  }

  #tell(events: readonly SessionEvent[]): void {
    for (const event of events) this.#parts.emit(event);
  }
}
