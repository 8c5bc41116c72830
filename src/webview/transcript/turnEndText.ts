/** What is read aloud when a turn ends: the whole answer once, instead of each piece. */
import type { Op } from '../../contract/messages.js';
import type { ItemView } from '../../contract/view.js';
import { agentTexts } from './itemNode.js';

/**
 * @param said the ids of earlier ends, which are not announced again when they are redrawn
 * @returns undefined if no turn ended in these operations
 */
export function turnEndText(ops: readonly Op[], items: () => readonly ItemView[], said: ReadonlySet<string>): string | undefined {
  const end = ops
    .map((op) => (op.op === 'item' && op.item.kind === 'turn_end' ? op.item : undefined))
    .findLast((item) => item !== undefined && !said.has(item.id));
  if (end === undefined) return undefined;
  const all = items();
  const index = all.findLastIndex(({ kind }) => kind === 'turn_end');
  // The item precedes the end of a later turn.
  if (all[index]?.id !== end.id) return undefined;
  const before = all.slice(0, index);
  const answer = before.slice(before.findLastIndex(({ kind }) => kind === 'turn_end') + 1).findLast(({ kind }) => kind === 'agent');
  const text = end.text ?? '';
  const reply =
    answer?.kind === 'agent'
      ? agentTexts(answer)
          .map(({ markdown }) => markdown)
          .join('\n')
      : '';
  if (text !== '' && reply !== '') return `${text.replace(/\.$/, '')}. ${reply}`;
  return text || reply || 'The turn has ended';
}

export function turnEndsIn(items: readonly ItemView[]): Set<string> {
  return new Set(items.flatMap(({ kind, id }) => (kind === 'turn_end' ? [id] : [])));
}
