import type { SessionEvent } from '../../core/index.js';
import { textOf } from './contentText.js';

interface Queued {
  readonly id: string;
  readonly text: string;
}

/** The queues of the agents themselves, by session. */
export class AgentQueues {
  readonly #queues = new Map<string, readonly Queued[]>();

  /** Returns the queue after the event; undefined if the event did not change it. */
  after(sessionId: string, event: SessionEvent): readonly Queued[] | undefined {
    const before = this.#queues.get(sessionId) ?? [];
    const now = queueAfter(before, event);
    if (now === before) return undefined;
    this.#queues.set(sessionId, now);
    return now;
  }
}

function queueAfter(queue: readonly Queued[], event: SessionEvent): readonly Queued[] {
  if (event.type === 'queued') return [...queue, { id: event.prompt.id, text: event.prompt.content.map(textOf).join('\n') }];
  if (event.type === 'unqueued')
    return queue.some(({ id }) => id === event.promptId) ? queue.filter(({ id }) => id !== event.promptId) : queue;
  return queue;
}
