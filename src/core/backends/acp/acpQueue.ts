import type { SessionEvent } from '../../session/event.js';
import type { ReportedPrompt } from './schema/delivery.js';

/** No user reads more of them. The others are shown when they come up. */
const mostShown = 64;

/** The queue of an agent that reports the whole queue with each change. */
export class AcpQueue {
  #ids: ReadonlySet<string> = new Set();

  replace(reported: readonly ReportedPrompt[], at: number): readonly SessionEvent[] {
    const prompts = reported.slice(0, mostShown);
    const before = this.#ids;
    this.#ids = new Set(prompts.map(({ id }) => id));
    const gone = [...before].filter((id) => !this.#ids.has(id));
    const added = prompts.filter(({ id }) => !before.has(id));
    return [
      ...gone.map((promptId): SessionEvent => ({ type: 'unqueued', at, promptId })),
      ...added.map(({ id, text }): SessionEvent => ({ type: 'queued', at, prompt: { id, content: [{ type: 'text', text }], at } })),
    ];
  }
}
