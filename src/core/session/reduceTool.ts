import type { SessionEvent, ToolPatch } from './event.js';
import type { ToolItem, ToolStatus, TranscriptItem } from './model.js';

type ToolEvent = Extract<SessionEvent, { type: 'tool' }>;

export function upsertTool(items: readonly TranscriptItem[], event: ToolEvent, turnId: string | undefined): readonly TranscriptItem[] {
  // From the end: the card that changes is nearly always among the last.
  const index = items.findLastIndex((item) => item.kind === 'tool' && item.id === event.id);
  const known = items[index];
  if (known?.kind === 'tool') return items.with(index, patchTool(known, event.patch, event.at));
  const fresh: ToolItem = {
    kind: 'tool', id: event.id, toolCallId: event.toolCallId, title: event.toolCallId, toolKind: 'other', status: 'pending', content: [], locations: [],
    rawInput: undefined, rawOutput: undefined, caveat: undefined, turnId, startedAt: event.at, endedAt: undefined,
  };
  return [...items, patchTool(fresh, event.patch, event.at)];
}

function patchTool(item: ToolItem, patch: ToolPatch, at: number): ToolItem {
  const status = nextStatus(item.status, patch.status);
  const ended = isFinal(status);
  return { ...item, ...patch, status, endedAt: ended ? (status === item.status ? item.endedAt : undefined) ?? at : undefined };
}

/** What has ended stays ended: agents send late or repeated states. Only the host's own `cancelled` gives way, to a real end. */
function nextStatus(current: ToolStatus, wanted: ToolStatus | undefined): ToolStatus {
  if (wanted === undefined) return current;
  if (current === 'cancelled') return wanted === 'completed' || wanted === 'failed' ? wanted : current;
  return isFinal(current) ? (wanted === 'cancelled' || !isFinal(wanted) ? current : wanted) : wanted;
}

function isFinal(status: ToolStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** Some agents leave tool calls open when a turn ends; nothing may look as if it still ran. */
export function endTools(items: readonly TranscriptItem[], turnId: string, at: number): readonly TranscriptItem[] {
  let next = items;
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index];
    if (item?.kind === 'turn_end') break;
    if (item?.kind === 'tool' && item.turnId === turnId && !isFinal(item.status)) next = next.with(index, { ...item, status: 'cancelled', endedAt: at });
  }
  return next;
}
