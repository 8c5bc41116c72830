import type { SessionEvent, ToolPatch } from './event.js';
import type { ItemsDraft } from './itemsDraft.js';
import { isFinal, type ToolItem, type ToolStatus } from './model.js';
import { closeMessagesBefore } from './reduceMessage.js';
import { countTool } from './reduceSubagent.js';
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
    ...(event.subagentId === undefined ? {} : { subagentId: event.subagentId }),
    startedAt: event.at,
    endedAt: undefined,
  };
  // Only a new tool call ends the messages before it. An update of an existing one does not.
  closeMessagesBefore(draft, event);
  draft.append(patchTool(fresh, event.patch, event.at));
  if (event.subagentId !== undefined) countTool(draft, event.subagentId);
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

/** No agent means so many calls with one request, and each request and its answer would change them all. */
const mostAsked = 64;

/**
 * The time in which a user decides does not count as the tool's time. A request that is about no open tool call of the turn applies to all open
 * ones, and to none if they are too many.
 * @param requests the requests that are open now
 * @param changed the request that was opened or closed; absent if it may be any
 */
export function markWaitingTools(draft: ItemsDraft, requests: readonly UserRequest[], at: number, changed?: UserRequest): void {
  const own = changed && ownTool(draft, changed);
  const named = requests.map((request) => ownTool(draft, request));
  // Only this one can begin or stop to wait. There may be many others.
  if (own !== undefined && !named.includes(undefined)) return setWaiting(draft, [own], named.includes(own), at);
  const asked = new Set(requests.flatMap((request) => askedTools(draft, request)));
  setWaiting(
    draft,
    [...draft.tools.waiting].filter((index) => !asked.has(index)),
    false,
    at,
  );
  setWaiting(draft, [...asked], true, at);
}

function setWaiting(draft: ItemsDraft, indexes: readonly number[], waits: boolean, at: number): void {
  for (const index of indexes) {
    const item = draft.items[index];
    if (item?.kind !== 'tool' || waits === (item.waitsSince !== undefined)) continue;
    draft.replace(index, waits ? { ...item, waitsSince: at } : withoutWait(item, at));
  }
}

/**
 * Marks tool calls as canceled that waited for the user when the user stopped the turn. They did not fail, whatever the agent reports
 * afterwards. Call this before the request is removed.
 */
export function stopWaitingTools(draft: ItemsDraft, request: UserRequest, at: number): void {
  for (const index of askedTools(draft, request)) {
    const item = draft.items[index];
    if (item?.kind === 'tool' && item.waitsSince !== undefined) draft.replace(index, { ...item, status: 'cancelled', endedAt: at });
  }
}

/** Returns the positions of the open tool calls that wait with the request: the one that it is about, or else all. */
function askedTools(draft: ItemsDraft, request: UserRequest): readonly number[] {
  const own = ownTool(draft, request);
  if (own !== undefined) return [own];
  const { open } = draft.tools;
  return open.size > mostAsked ? [] : [...open].filter((index) => isOf(draft, index, request));
}

/** Returns the position of the tool call that the request is about, if it is open. */
function ownTool(draft: ItemsDraft, request: UserRequest): number | undefined {
  const id = request.kind === 'permission' ? request.subject.itemId : undefined;
  const index = id === undefined ? -1 : draft.indexOf(id);
  return draft.tools.open.has(index) ? index : undefined;
}

/** Whether the tool call is of the one that asks. */
function isOf({ items }: ItemsDraft, index: number, { subagent }: UserRequest): boolean {
  const item = items[index];
  return item?.kind === 'tool' && item.subagentId === subagent?.id;
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
  // Also what was reported between the turns: nobody would end it later. A sub-agent may work longer than the turn.
  for (const index of [...draft.tools.open]) {
    const item = draft.items[index];
    if (item?.kind === 'tool' && item.subagentId === undefined) draft.replace(index, { ...item, status, endedAt: at });
  }
}
