import type { SessionEvent, ToolPatch } from './event.js';
import type { ItemsDraft } from './itemsDraft.js';
import type { ToolItem, ToolStatus } from './model.js';
import type { UserRequest } from './userRequest.js';

type ToolEvent = Extract<SessionEvent, { type: 'tool' }>;

export function upsertTool(draft: ItemsDraft, event: ToolEvent, turnId: string | undefined): void {
  const index = draft.indexOf(event.id);
  const known = draft.items[index];
  if (known?.kind === 'tool') {
    const patched = patchTool(known, event.patch, event.at);
    // Nothing of a turn that is over runs again; only its end may be reported late.
    const revives = isFinal(known.status) && !isFinal(patched.status) && known.turnId !== turnId;
    return draft.replace(index, revives ? { ...patched, status: known.status, endedAt: known.endedAt } : patched);
  }
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
  // The agent has answered a call that was rejected; it has not done it. How a command ended would say that it has.
  const isAnswered = item.status === 'rejected' && patch.status === 'completed' && patch.exit === undefined;
  const status = isAnswered ? 'rejected' : nextStatus(item.status, patch.status);
  const ended = isFinal(status);
  return { ...item, ...patch, status, endedAt: ended ? ((status === item.status ? item.endedAt : undefined) ?? at) : undefined };
}

/**
 * A final status remains: agents send late and repeated updates. Only a status that the host itself set gives way to the agent's, except
 * that a tool call that was canceled cannot fail afterwards.
 */
function nextStatus(current: ToolStatus, wanted: ToolStatus | undefined): ToolStatus {
  if (wanted === undefined) return current;
  switch (current) {
    // The agent may ask again for what was rejected.
    case 'rejected':
    case 'pending':
    case 'in_progress':
      return wanted;
    case 'cancelled':
      return wanted === 'completed' || wanted === 'rejected' ? wanted : current;
    case 'unreported':
      return isReportedEnd(wanted) || wanted === 'rejected' ? wanted : current;
    case 'completed':
    case 'failed':
      return isReportedEnd(wanted) ? wanted : current;
  }
}

function isReportedEnd(status: ToolStatus): boolean {
  return status === 'completed' || status === 'failed';
}

export function isFinal(status: ToolStatus): boolean {
  return status !== 'pending' && status !== 'in_progress';
}

/**
 * The time in which a user decides does not count as the tool's time. A request that names no tool call of the turn applies to all open
 * ones.
 * @param requests the requests that are open now
 * @param changed the request that was opened or closed; absent if it may be any
 */
export function markWaitingTools(draft: ItemsDraft, requests: readonly UserRequest[], at: number, changed?: UserRequest): void {
  const own = changed === undefined ? [] : ownTools(draft, changed);
  // Only these can begin or stop to wait. An agent may have thousands of others.
  if (own.length > 0 && requests.every((request) => ownTools(draft, request).length > 0)) {
    const asked = new Set(requests.map(toolCallIdOf));
    for (const { index, item } of own) {
      const waits = asked.has(item.toolCallId);
      if (waits && item.waitsSince === undefined) draft.replace(index, { ...item, waitsSince: at });
      else if (!waits && item.waitsSince !== undefined) draft.replace(index, withoutWait(item, at));
    }
    return;
  }
  const tools = toolsOfTurn(draft);
  const open = tools.filter(({ item }) => !isFinal(item.status));
  const waiting = new Set(requests.flatMap((request) => toolsOf(request, open)).map(({ index }) => index));
  for (const { index, item } of tools) {
    if (waiting.has(index) && item.waitsSince === undefined) draft.replace(index, { ...item, waitsSince: at });
    else if (!waiting.has(index) && item.waitsSince !== undefined) draft.replace(index, withoutWait(item, at));
  }
}

/**
 * Marks tool calls as canceled that waited for the user when the user stopped the turn. They did not fail, whatever the agent reports
 * afterwards. Call this before the request is removed.
 */
export function stopWaitingTools(draft: ItemsDraft, request: UserRequest, at: number): void {
  const open = toolsOfTurn(draft).filter(({ item }) => !isFinal(item.status));
  for (const { index, item } of toolsOf(request, open)) {
    if (item.waitsSince !== undefined) draft.replace(index, { ...item, status: 'cancelled', endedAt: at });
  }
}

interface PlacedTool {
  readonly index: number;
  readonly item: ToolItem;
}

/** The tool calls of the current turn. */
function toolsOfTurn(draft: ItemsDraft): readonly PlacedTool[] {
  const tools: PlacedTool[] = [];
  for (let index = draft.length - 1; index >= 0; index--) {
    const item = draft.items[index];
    if (item?.kind === 'turn_end') break;
    if (item?.kind === 'tool') tools.push({ index, item });
  }
  return tools;
}

function toolCallIdOf(request: UserRequest): string | undefined {
  return request.kind === 'permission' ? request.subject.toolCallId : undefined;
}

/** Returns the open tool calls that the request names. */
function ownTools(draft: ItemsDraft, request: UserRequest): readonly PlacedTool[] {
  const id = toolCallIdOf(request);
  return (id === undefined ? [] : draft.toolsOfTurn(id)).flatMap((index) => {
    const item = draft.items[index];
    return item?.kind === 'tool' && !isFinal(item.status) ? [{ index, item }] : [];
  });
}

function toolsOf(request: UserRequest, open: readonly PlacedTool[]): readonly PlacedTool[] {
  const id = toolCallIdOf(request);
  const own = open.filter(({ item }) => item.toolCallId === id);
  return own.length > 0 ? own : open;
}

function withoutWait(item: ToolItem, at: number): ToolItem {
  const { waitsSince, ...rest } = item;
  if (waitsSince === undefined) return item;
  const until = item.endedAt === undefined ? at : Math.min(item.endedAt, at);
  return { ...rest, waitedMs: (item.waitedMs ?? 0) + Math.max(0, until - waitsSince) };
}

/**
 * Ends the tool calls that an agent left open at the end of its turn, so that none appears to be running.
 * @param status what is known about them
 */
export function endTools(draft: ItemsDraft, { at, status }: { readonly at: number; readonly status: 'cancelled' | 'unreported' }): void {
  for (let index = draft.length - 1; index >= 0; index--) {
    const item = draft.items[index];
    if (item?.kind === 'turn_end') return;
    // Also what was reported between the turns: nobody would end it later.
    if (item?.kind === 'tool' && !isFinal(item.status)) draft.replace(index, { ...item, status, endedAt: at });
  }
}
