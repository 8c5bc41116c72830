import { randomUUID } from 'node:crypto';
import type { SessionEvent } from '../../session/event.js';
import type { ContentBlock, QueuedPrompt } from '../../session/model.js';
import type { ReportedPrompt } from './schema/delivery.js';

/** No user reads more of them. The others are shown when they come up. */
const mostShown = 64;

/** The queue of an agent that reports the whole queue with each change. */
export class AcpQueue {
  /** By the agent's id. */
  #waiting: ReadonlyMap<string, QueuedPrompt> = new Map();
  /** What was sent and not answered, by the host's id: the agent reports only its text. */
  readonly #sending = new Map<string, readonly ContentBlock[]>();
  /** The ids of what was sent to running turns, until a later turn begins without it. */
  readonly #sent = new Set<string>();

  /** Call this before a prompt is sent. @returns call this when the agent has answered */
  sending(promptId: string, content: readonly ContentBlock[]): () => void {
    this.#sending.set(promptId, content);
    this.#sent.add(promptId);
    return () => this.#sending.delete(promptId);
  }

  /** Call this when a turn begins: the agent has said what it got in an earlier one. */
  beginTurn(): void {
    for (const id of this.#sent) if (!this.#sending.has(id) && !this.#waiting.has(id)) this.#sent.delete(id);
  }

  hasSent(promptId: string): boolean {
    return this.#sent.has(promptId);
  }

  replace(reported: readonly ReportedPrompt[], at: number): readonly SessionEvent[] {
    const before = this.#waiting;
    const now = new Map(reported.slice(0, mostShown).map((one) => [one.id, before.get(one.id) ?? this.#toQueued(one, at)]));
    this.#waiting = now;
    const gone = [...before].filter(([id]) => !now.has(id));
    const added = [...now].filter(([id]) => !before.has(id));
    return [
      ...gone.map(([, { id }]): SessionEvent => ({ type: 'unqueued', at, promptId: id })),
      ...added.map(([, prompt]): SessionEvent => ({ type: 'queued', at, prompt })),
    ];
  }

  /** An id that is not the host's may be that of any prompt. */
  #toQueued({ id, text }: ReportedPrompt, at: number): QueuedPrompt {
    const content = this.#sending.get(id);
    return content === undefined ? { id: randomUUID(), content: [{ type: 'text', text }], at } : { id, content, at };
  }
}
