import type { SessionEvent, ToolPatch } from './event.js';
import type { ItemsDraft } from './itemsDraft.js';
import type { ToolItem, ToolStatus } from './model.js';

type ToolEvent = Extract<SessionEvent, { type: 'tool' }>;

export function upsertTool(draft: ItemsDraft, event: ToolEvent, turnId: string | undefined): void {
  const index = draft.indexOf(event.id);
  const known = draft.items[index];
  if (known?.kind === 'tool') return draft.replace(index, patchTool(known, event.patch, event.at));
  const fresh: ToolItem = {
    kind: 'tool',
    id: event.id,
    toolCallId: event.toolCallId,
    title: event.toolCallId,
    toolKind: 'other',
    status: 'pending',
    content: [],
    locations: [],
    rawInput: undefined,
    rawOutput: undefined,
    exit: undefined,
    caveat: undefined,
    turnId,
    startedAt: event.at,
    endedAt: undefined,
  };
  draft.append(patchTool(fresh, event.patch, event.at));
}

function patchTool(item: ToolItem, patch: ToolPatch, at: number): ToolItem {
  const status = nextStatus(item.status, patch.status);
  const ended = isFinal(status);
  return { ...item, ...patch, status, endedAt: ended ? ((status === item.status ? item.endedAt : undefined) ?? at) : undefined };
}

/** What has ended stays ended: agents send late or repeated states. Only what the host itself said gives way, to what the agent says. */
function nextStatus(current: ToolStatus, wanted: ToolStatus | undefined): ToolStatus {
  if (wanted === undefined) return current;
  switch (current) {
    // What was rejected may be asked for again.
    case 'rejected':
    case 'pending':
    case 'in_progress':
      return wanted;
    case 'cancelled':
    case 'unreported':
      return isToldEnd(wanted) || wanted === 'rejected' ? wanted : current;
    case 'completed':
    case 'failed':
      return isToldEnd(wanted) ? wanted : current;
  }
}

function isToldEnd(status: ToolStatus): boolean {
  return status === 'completed' || status === 'failed';
}

export function isFinal(status: ToolStatus): boolean {
  return status !== 'pending' && status !== 'in_progress';
}

/** Some agents leave tool calls open when a turn ends; nothing may look as if it still ran. @param status what is known of them */
export function endTools(
  draft: ItemsDraft,
  { turnId, at, status }: { readonly turnId: string; readonly at: number; readonly status: 'cancelled' | 'unreported' },
): void {
  for (let index = draft.length - 1; index >= 0; index--) {
    const item = draft.items[index];
    if (item?.kind === 'turn_end') return;
    if (item?.kind === 'tool' && item.turnId === turnId && !isFinal(item.status)) draft.replace(index, { ...item, status, endedAt: at });
  }
}
