/**
 * Reports the agent's own queue to clients that know this program's extension. ACP has no update for it, so it is in the `_meta` of an
 * update.
 */
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { type QueuedPrompt, queueMeta, type SessionEvent } from '../core/index.js';

export class QueueUpdates {
  #queue: readonly QueuedPrompt[] = [];

  /** @returns undefined for an event that does not change the queue */
  updateOf(event: SessionEvent): SessionUpdate | undefined {
    if (event.type === 'queued') this.#queue = [...this.#queue, event.prompt];
    else if (event.type === 'unqueued') this.#queue = this.#queue.filter(({ id }) => id !== event.promptId);
    else return undefined;
    return { sessionUpdate: 'session_info_update', _meta: { ...queueMeta(this.#queue) } };
  }
}
