import type { SessionEvent } from '../session/event.js';
import type { SessionUsage } from '../session/model.js';

/** Knows when what the agent reported of its context is out of date, because it has compacted its context since. */
export class ContextUsage {
  /** When the compaction that is running began. */
  #before: SessionUsage | undefined;

  /** Call it for each event of a compaction. @param usage what was reported last */
  isOutdatedBy({ status }: Extract<SessionEvent, { type: 'compaction' }>, usage: SessionUsage | undefined): boolean {
    const before = this.#before ?? usage;
    if (status === 'in_progress') this.#before = usage;
    if (status !== 'completed') return false;
    this.#before = undefined;
    // Some agents report it before they report the end.
    return usage !== undefined && usage === before;
  }
}
