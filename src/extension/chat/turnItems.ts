import type { SessionState, TranscriptItem } from '../../core/index.js';

type Items = SessionState['items'];

/** The items of each turn. A restored conversation draws the ends of thousands of turns at once, and each looks for its own. */
const turns = new WeakMap<Items, ReadonlyMap<string, readonly TranscriptItem[]>>();

/** Returns the items of a turn in order. */
export function itemsOfTurn(items: Items, turnId: string): readonly TranscriptItem[] {
  let byTurn = turns.get(items);
  if (byTurn === undefined) turns.set(items, (byTurn = groupByTurn(items)));
  return byTurn.get(turnId) ?? [];
}

function groupByTurn(items: Items): ReadonlyMap<string, readonly TranscriptItem[]> {
  const byTurn = new Map<string, TranscriptItem[]>();
  for (const item of items) {
    const turnId = 'turnId' in item ? item.turnId : undefined;
    if (turnId === undefined) continue;
    const own = byTurn.get(turnId);
    if (own === undefined) byTurn.set(turnId, [item]);
    else own.push(item);
  }
  return byTurn;
}
