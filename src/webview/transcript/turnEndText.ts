/** What is said aloud when a turn ends: the answer, once and whole, not each piece of it. */
import type { Op } from '../../contract/messages.js';
import type { ItemView } from '../../contract/view.js';

/** Undefined: no turn ended in these operations. */
export function turnEndText(ops: readonly Op[], items: () => readonly ItemView[]): string | undefined {
  const end = ops
    .map((op) => (op.op === 'item' && op.item.kind === 'turn_end' ? op.item : undefined))
    .findLast((item) => item !== undefined);
  if (end === undefined) return undefined;
  const answer = items().findLast((item) => item.kind === 'agent');
  return (
    [end.text, answer?.kind === 'agent' ? answer.markdown : undefined].filter((part) => part !== undefined && part !== '').join('. ') ||
    'The turn has ended'
  );
}
