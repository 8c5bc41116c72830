import type { ToolStatus, TranscriptItem } from './model.js';

export function isFinal(status: ToolStatus): boolean {
  return status !== 'pending' && status !== 'in_progress';
}

/**
 * The positions of those tool calls of the current turn that are not over, so that nobody searches for them among thousands of others. It
 * follows from the items alone.
 */
export class TurnTools {
  #begin = 0;
  readonly #open = new Set<number>();
  readonly #waiting = new Set<number>();

  constructor(items: readonly TranscriptItem[]) {
    this.#begin = items.findLastIndex(({ kind }) => kind === 'turn_end') + 1;
    for (let index = this.#begin; index < items.length; index++) this.note(items[index], index);
  }

  get open(): ReadonlySet<number> {
    return this.#open;
  }

  /** Those that wait for the user, also if they have ended meanwhile. */
  get waiting(): ReadonlySet<number> {
    return this.#waiting;
  }

  /** Call this for each item that is appended or replaced. */
  note(item: TranscriptItem | undefined, index: number): void {
    if (item?.kind === 'turn_end') this.#clear(index + 1);
    if (item?.kind !== 'tool' || index < this.#begin) return;
    if (item.waitsSince === undefined) this.#waiting.delete(index);
    else this.#waiting.add(index);
    if (isFinal(item.status)) this.#open.delete(index);
    else this.#open.add(index);
  }

  #clear(begin: number): void {
    this.#begin = begin;
    this.#open.clear();
    this.#waiting.clear();
  }
}
