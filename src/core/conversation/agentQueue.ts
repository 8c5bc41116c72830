import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import type { ContentBlock, QueuedPrompt, SessionState } from '../session/model.js';
import type { OutboxPrompt } from './state.js';

/** A prompt for a running turn. */
interface JoinedPrompt {
  readonly prompt: OutboxPrompt;
  /** The texts with which an agent may show it in its queue. */
  readonly words: readonly string[];
  /** The user stopped everything, so it must not be sent in another way. */
  isStopped: boolean;
  /** The agent has it in its queue, or in the turn. */
  isTaken: boolean;
}

type SessionPart = Pick<SessionState, 'items' | 'turn' | 'queue'>;

/** The prompts that were handed to a running turn and are not part of it yet. They would be lost with the agent. */
export class AgentQueue {
  readonly #clock: Clock;
  /** In the order in which they were handed over. */
  readonly #handedOver = new Set<JoinedPrompt>();
  readonly #known = new WeakMap<QueuedPrompt, JoinedPrompt>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(content: readonly ContentBlock[]): JoinedPrompt {
    const joined = this.#create(content, this.#clock.now());
    this.#handedOver.add(joined);
    return joined;
  }

  /** Call this when the turn has the prompt, or is over. @returns false if the agent has the prompt, or if it was already removed */
  remove(joined: JoinedPrompt): boolean {
    return this.#handedOver.delete(joined) && !joined.isTaken;
  }

  /** The user stops everything: marks the prompts that the agent has not accepted yet. */
  stop(): void {
    for (const joined of this.#handedOver) joined.isStopped = true;
  }

  /** Removes and returns the prompts that the agent has neither in its queue nor in the turn. */
  takeJoining(session: SessionPart | undefined): readonly OutboxPrompt[] {
    const prompts = this.#joining(session);
    this.#handedOver.clear();
    return prompts;
  }

  /**
   * Returns the prompts in the agent's queue, then those that were handed over and are neither in it nor in the turn. Each prompt keeps its
   * identity.
   * @param session as the agent reports it
   */
  waiting(session: SessionPart | undefined): readonly OutboxPrompt[] {
    return [...this.queued(session?.queue ?? []), ...this.#joining(session)];
  }

  /** Returns only the prompts in the agent's queue. Each prompt keeps its identity. */
  queued(queue: readonly QueuedPrompt[]): readonly OutboxPrompt[] {
    return queue.map((one) => this.#joinedOf(one).prompt);
  }

  #joining(session: SessionPart | undefined): readonly OutboxPrompt[] {
    const joining = (): readonly JoinedPrompt[] => [...this.#handedOver].filter(({ isTaken }) => !isTaken);
    if (session !== undefined && joining().length > 0) this.#markSaid(session);
    return joining().map(({ prompt }) => prompt);
  }

  /** Marks the prompts that the agent has said back in the turn. Of those with the same text, it takes the oldest first. */
  #markSaid({ items, turn, queue }: SessionPart): void {
    if (turn.type === 'idle') return;
    const messages = items.flatMap((item) =>
      item.kind === 'message' && item.role === 'user' && item.turnId === turn.turnId ? [wordsOf(item.content)[0]] : [],
    );
    // The first one began the turn.
    const said = messages.slice(1);
    // These were not said yet, whatever other prompts with their text were.
    const inQueue = new Set(queue.map((one) => this.#joinedOf(one)));
    for (const joined of [...this.#handedOver].filter((one) => !inQueue.has(one))) {
      const at = said.findIndex((words) => joined.words.includes(words));
      if (at < 0) continue;
      said.splice(at, 1);
      joined.isTaken = true;
    }
  }

  /** Matches a prompt in the agent's queue with the one that was handed over. From then on, only the agent's queue shows whether it waits. */
  #joinedOf(queued: QueuedPrompt): JoinedPrompt {
    const known = this.#known.get(queued);
    if (known !== undefined) return known;
    const [words] = wordsOf(queued.content);
    const isIt = (one: JoinedPrompt): boolean => !one.isTaken && one.words.includes(words);
    const joined = [...this.#handedOver].find(isIt) ?? this.#create(queued.content, queued.at);
    joined.isTaken = true;
    this.#known.set(queued, joined);
    return joined;
  }

  #create(content: readonly ContentBlock[], at: number): JoinedPrompt {
    return { prompt: { id: randomUUID(), content, at, held: undefined }, words: wordsOf(content), isStopped: false, isTaken: false };
  }
}

/** Returns the forms in which an agent may show the content: without pictures, or with a placeholder for each. */
function wordsOf(content: readonly ContentBlock[]): readonly [string, string] {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const places = content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`));
  return [texts.join('\n'), places.join('\n')];
}
