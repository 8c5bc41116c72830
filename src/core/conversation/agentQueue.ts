import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import type { ContentBlock, QueuedPrompt } from '../session/model.js';
import type { OutboxPrompt } from './state.js';

/** A prompt for a running turn. */
interface JoinedPrompt {
  readonly prompt: OutboxPrompt;
  /** How an agent may show it in its queue. */
  readonly words: readonly string[];
}

/** What was handed to a running turn and is not part of it yet: it is lost with the agent, unless the conversation remembers it. */
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

  /** The turn has it, or is over. @returns false if it was returned before */
  remove(joined: JoinedPrompt): boolean {
    return this.#joining.delete(joined);
  }

  /** Each prompt keeps its identity. @param queue the queue of the agent, as the agent reports it */
  waiting(queue: readonly QueuedPrompt[]): readonly OutboxPrompt[] {
    const queued = queue.map((one) => this.#joinedOf(one));
    return [...queued, ...this.#joining].map(({ prompt }) => prompt);
  }

  /** From now on, the queue of the agent is what tells whether it waits. */
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
    return { prompt: { id: randomUUID(), content, at, held: undefined }, words: wordsOf(content) };
  }
}

/** Without pictures, or with their names in their places. */
function wordsOf(content: readonly ContentBlock[]): readonly string[] {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const places = content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`));
  return [texts.join('\n'), places.join('\n')];
}
