import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import type { ContentBlock, QueuedPrompt } from '../session/model.js';
import type { OutboxPrompt } from './state.js';

/** A prompt for a running turn. */
interface JoinedPrompt {
  readonly prompt: OutboxPrompt;
  /** The texts with which an agent may show it in its queue. */
  readonly words: readonly string[];
  /** The user stopped everything, so it must not be sent in another way. */
  isStopped: boolean;
}

/** The prompts that were handed to a running turn and are not part of it yet. They would be lost with the agent. */
export class AgentQueue {
  readonly #clock: Clock;
  readonly #joining = new Set<JoinedPrompt>();
  readonly #known = new WeakMap<QueuedPrompt, JoinedPrompt>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(content: readonly ContentBlock[]): JoinedPrompt {
    const joined = this.#create(content, this.#clock.now());
    this.#joining.add(joined);
    return joined;
  }

  /** Call this when the turn has the prompt, or is over. @returns false if the prompt was already removed */
  remove(joined: JoinedPrompt): boolean {
    return this.#joining.delete(joined);
  }

  /** The user stops everything: marks the prompts that the agent has not accepted yet. */
  stop(): void {
    for (const joined of this.#joining) joined.isStopped = true;
  }

  /** Removes and returns the prompts that are not in the agent's queue. */
  takeJoining(): readonly OutboxPrompt[] {
    const prompts = [...this.#joining].map(({ prompt }) => prompt);
    this.#joining.clear();
    return prompts;
  }

  /**
   * Returns the prompts in the agent's queue, then those that were handed over and are not in it. Each prompt keeps its identity.
   * @param queue as the agent reports it
   */
  waiting(queue: readonly QueuedPrompt[]): readonly OutboxPrompt[] {
    return [...this.queued(queue), ...[...this.#joining].map(({ prompt }) => prompt)];
  }

  /** Returns only the prompts in the agent's queue. Each prompt keeps its identity. */
  queued(queue: readonly QueuedPrompt[]): readonly OutboxPrompt[] {
    return queue.map((one) => this.#joinedOf(one).prompt);
  }

  /** Matches a prompt in the agent's queue with the one that was handed over. From then on, only the agent's queue shows whether it waits. */
  #joinedOf(queued: QueuedPrompt): JoinedPrompt {
    const known = this.#known.get(queued);
    if (known !== undefined) return known;
    const [words = ''] = wordsOf(queued.content);
    const joined = [...this.#joining].find((one) => one.words.includes(words)) ?? this.#create(queued.content, queued.at);
    this.#joining.delete(joined);
    this.#known.set(queued, joined);
    return joined;
  }

  #create(content: readonly ContentBlock[], at: number): JoinedPrompt {
    return { prompt: { id: randomUUID(), content, at, held: undefined }, words: wordsOf(content), isStopped: false };
  }
}

/** Returns the forms in which an agent may show the content: without pictures, or with a placeholder for each. */
function wordsOf(content: readonly ContentBlock[]): readonly string[] {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const places = content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`));
  return [texts.join('\n'), places.join('\n')];
}
