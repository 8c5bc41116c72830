/** The list of conversations as a quick pick. Pure. */
import type { ConversationListEntry } from '../../core/index.js';
import { inListOrder, isBlank, listRow } from './listRow.js';

export interface HistoryRow {
  readonly id: string;
  readonly label: string;
  readonly description: string;
}

/** @param now milliseconds since the epoch */
export function historyRows(entries: readonly ConversationListEntry[], currentId: string | undefined, now: number): readonly HistoryRow[] {
  return entries
    .filter((entry) => !isBlank(entry))
    .toSorted(inListOrder)
    .map((entry) => {
      const { name, description, icon } = listRow(entry, now);
      // In a label, `$(name)` would be rendered as an icon.
      return { id: entry.id, label: `$(${entry.id === currentId ? 'check' : icon}) ${name.replaceAll('$(', '$ (')}`, description };
    });
}
