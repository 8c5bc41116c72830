/** What an agent does after its turn has ended, or without one: nobody asked for it, and it may go on beside the next turn. */
import { isFinal, isPrompt, type SessionState, type SubagentItem, type ToolItem, type TranscriptItem } from './model.js';

export type LateWork = SubagentItem | ToolItem;

/** Engines look at all their conversations again and again, and most of them have not changed. */
const working = new WeakMap<SessionState['items'], readonly LateWork[]>();

/**
 * Returns the sub-agents and the commands that still work although no turn is running, and the calls that the agent made without one, oldest
 * first. Applies only while the agent has the session open.
 */
export function lateWorkOf({ items, turn }: Pick<SessionState, 'items' | 'turn'>): readonly LateWork[] {
  if (turn.type !== 'idle') return [];
  let found = working.get(items);
  if (found === undefined) working.set(items, (found = items.filter(isLateWork)));
  return found;
}

/** Returns what works beside the running turn since an earlier one, and `lateWorkOf` if no turn is running; oldest first. */
export function workBesideTurn(state: Pick<SessionState, 'items' | 'turn'>): readonly LateWork[] {
  const { items, turn } = state;
  if (turn.type === 'idle') return lateWorkOf(state);
  return items.filter(isLateWork).filter(({ turnId }) => turnId !== turn.turnId);
}

/** When it began, in milliseconds since the epoch. */
export function lateSince(work: LateWork): number {
  return work.kind === 'subagent' ? (work.worksSince ?? work.startedAt) : work.startedAt;
}

/** Whether the user can end it by itself, or with everything that the agent does without a turn. */
export function canStopLate(work: LateWork): boolean {
  return work.kind === 'tool' || work.canStop;
}

/**
 * Returns the last item of what the agent itself said or did since the end of the last turn; undefined if there is nothing, or if the user
 * said something since.
 */
export function lastLateItem(items: SessionState['items']): TranscriptItem | undefined {
  let last: TranscriptItem | undefined;
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index];
    if (item === undefined || item.kind === 'turn_end') return last;
    if (isLate(item)) last ??= item;
    else if (isOfTurn(item)) return undefined;
  }
  return undefined;
}

/** Returns the items with which the agent began to go on after a turn. */
export function lateBeginnings(items: SessionState['items']): ReadonlySet<TranscriptItem> {
  const beginnings = new Set<TranscriptItem>();
  let isAfterTurn = false;
  for (const item of items) {
    if (item.kind === 'turn_end') isAfterTurn = true;
    else if (isAfterTurn && isLate(item)) {
      beginnings.add(item);
      isAfterTurn = false;
    } else if (isOfTurn(item)) isAfterTurn = false;
  }
  return beginnings;
}

function isLateWork(item: TranscriptItem): item is LateWork {
  if (item.kind === 'subagent') return item.worksSince !== undefined;
  if (item.kind !== 'tool') return false;
  return item.content.some((part) => part.type === 'terminal' && part.runs === true) || (isLate(item) && !isFinal(item.status));
}

/** What sub-agents say and do is inside them, and a notice may come at any time. */
function isLate(item: TranscriptItem): boolean {
  switch (item.kind) {
    case 'message':
      return item.role !== 'user' && item.turnId === undefined && item.subagentId === undefined;
    case 'tool':
    case 'plan':
    case 'subagent':
      return item.turnId === undefined && item.subagentId === undefined;
    default:
      return false;
  }
}

function isOfTurn(item: TranscriptItem): boolean {
  if (isPrompt(item)) return true;
  return 'turnId' in item && item.turnId !== undefined && !('subagentId' in item && item.subagentId !== undefined);
}
