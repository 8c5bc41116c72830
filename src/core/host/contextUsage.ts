import type { SessionEvent } from '../session/event.js';
import type { SessionUsage } from '../session/model.js';

/** Knows when what the agent reported of its context is out of date, because it has compacted its context since. */
export class ContextUsage {
  /** The compaction that is running, and what was reported when it began. */
  #running: { readonly before: SessionUsage | undefined } | undefined;

  /** Call it for each event of a compaction. @param usage what was reported last */
  isOutdatedBy({ status }: Extract<SessionEvent, { type: 'compaction' }>, usage: SessionUsage | undefined): boolean {
    if (status === undefined) return false;
    const running = this.#running ?? { before: usage };
    this.#running = status === 'in_progress' ? running : undefined;
    // Some agents report it before they report the end.
    return status === 'completed' && usage !== undefined && usage === running.before;
  }
}
