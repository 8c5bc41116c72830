/** States of a session as events, for programs that show events and come in the middle of it, or miss some. */
import { withoutAbsent } from '../base/fields.js';
import type { SessionEvent, ToolPatch } from './event.js';
import { isFinished } from './reducePlan.js';
import { originOf } from './reducer.js';
import { isFinal, type Plan, type PlanEntry, type SessionState, type ToolItem, type TranscriptItem, type TurnEndItem } from './model.js';
import type { CloseReason } from './userRequest.js';

/**
 * The running turn from its beginning until now, or else the last one with its end; empty if there was none. Reduced, the events result in
 * the same items. What arrived in many pieces is one event.
 */
export function lastTurnOf(state: SessionState): readonly SessionEvent[] {
  const { items, plans, turn } = state;
  const last = turn.type === 'idle' ? items.findLastIndex(({ kind }) => kind === 'turn_end') : items.length;
  const end = items[last];
  const turnId = turn.type === 'idle' ? end?.kind === 'turn_end' && end.turnId : turn.turnId;
  if (turnId === false) return [];
  const before = items.findLastIndex((item, index) => index < last && item.kind === 'turn_end');
  const since = items.slice(before + 1, last + 1);
  // What belongs to no turn may have arrived before this one.
  const begin = since.findIndex((item) => 'turnId' in item && item.turnId === turnId);
  const own = begin < 0 ? [] : since.slice(begin).filter((item) => !('turnId' in item) || item.turnId === turnId);
  // The end of a turn makes notices of finished plans, which are among the items then.
  const left = turn.type === 'idle' ? plans.filter((plan) => !isFinished(plan)) : plans;
  return eventsSince(beginningOf(state), { ...state, items: own, plans: left });
}

/** What later events of a session build on, apart from the transcript: its settings, and what is running, asked and queued in it. */
export function standingOf(state: SessionState): readonly SessionEvent[] {
  const { createdAt: at, cwd, title, commands, options, context, usage, turn, items } = state;
  const current = turn.type === 'idle' ? undefined : turn.turnId;
  const open = items.flatMap((item) => {
    if (item.kind !== 'subagent' && (item.kind !== 'tool' || isFinal(item.status))) return [];
    return [{ ...item, turnId: item.turnId === current ? current : undefined }];
  });
  return [
    { type: 'opened', at, cwd, by: 'loaded', ...originOf(state) },
    ...(title === undefined ? [] : [{ type: 'info', at, title } as const]),
    ...(commands.length === 0 ? [] : [{ type: 'commands', at, commands } as const]),
    ...(options.length === 0 ? [] : [{ type: 'options', at, options } as const]),
    ...(context === undefined ? [] : [{ type: 'context', at, context } as const]),
    ...(usage === undefined ? [] : [{ type: 'usage', at, usage } as const]),
    ...eventsSince(beginningOf(state), { ...state, items: open }),
  ];
}

function beginningOf(state: SessionState): SessionState {
  return { ...state, items: [], plans: [], queue: [], requests: [], turn: { type: 'idle' } };
}

/**
 * What led from one state of a session to a later one, as far as the later one tells; for programs that show events and missed some. Of a
 * text whose end is not in the later state, nothing is taken back. Nobody knows any more how a request was answered.
 */
export function eventsSince(before: SessionState, after: SessionState): readonly SessionEvent[] {
  const events: SessionEvent[] = [];
  const known = new Map(before.items.map((item) => [item.id, item]));
  let turnId = before.turn.type === 'idle' ? undefined : before.turn.turnId;
  const { turn } = after;
  const startedAt = new Map(after.items.flatMap((item) => (item.kind === 'turn_end' ? [[item.turnId, item.startedAt] as const] : [])));
  if (turn.type !== 'idle') startedAt.set(turn.turnId, turn.startedAt);
  const begin = (id: string, prompt: Pick<TurnStarted, 'content' | 'promptId'> = {}): void => {
    turnId = id;
    events.push({ type: 'turn_started', at: startedAt.get(id) ?? after.createdAt, turnId: id, ...prompt });
  };
  const isOpen = new Set(after.requests.map(({ id }) => id));
  let closed = before.requests.filter(({ id }) => !isOpen.has(id));
  const close = (at: number, why: CloseReason): void => {
    for (const { id } of closed) events.push({ type: 'request_closed', at, requestId: id, answer: { type: 'cancel', why } });
    closed = [];
  };
  /** In a turn, the text of a plan from outside would be another item, so it changed after the turn. */
  let afterTurn: readonly SessionEvent[] = [];
  for (const item of after.items) {
    const was = known.get(item.id);
    if (was === item) continue;
    if (item.kind === 'turn_end') {
      if (was !== undefined) continue;
      if (item.turnId !== turnId) begin(item.turnId);
      close(item.at, item.outcome.type === 'interrupted' ? 'agent_gone' : 'withdrawn');
      events.push(endOf(item), ...afterTurn);
      turnId = undefined;
      afterTurn = [];
      continue;
    }
    const isOfTurn = was === undefined && 'turnId' in item && item.turnId !== undefined && item.turnId !== turnId;
    const isPrompt = isOfTurn && item.kind === 'message' && item.role === 'user';
    if (isOfTurn) begin(item.turnId, isPrompt ? promptOf(item) : {});
    const told = isPrompt ? [] : was === undefined ? eventsOf(item) : changesOf(was, item);
    const isNewText = item.kind === 'plan' && was?.kind === 'plan' && !isDeepEqual(was.text, item.text);
    if (isNewText && item.turnId !== turnId) afterTurn = [...afterTurn, ...told];
    else events.push(...told);
  }
  events.push(...afterTurn);
  if (turn.type !== 'idle' && turn.turnId !== turnId) begin(turn.turnId);
  const at = turn.type === 'idle' ? before.createdAt : turn.lastEventAt;
  close(at, 'withdrawn');
  // The end of a turn has removed the finished ones.
  const hasEnded = events.some(({ type }) => type === 'turn_ended');
  const stepsBefore = stepsOf(hasEnded ? before.plans.filter((plan) => !isFinished(plan)) : before.plans);
  for (const [planId, entries] of stepsOf(after.plans))
    if (!isDeepEqual(stepsBefore.get(planId), entries)) events.push({ type: 'plan', at, ...named(planId), entries });
  const left = new Set(after.plans.map(({ planId }) => planId));
  for (const planId of stepsBefore.keys()) if (!left.has(planId)) events.push({ type: 'plan', at, ...named(planId), entries: [] });
  for (const { id } of without(before.queue, after.queue)) events.push({ type: 'unqueued', at, promptId: id });
  for (const prompt of without(after.queue, before.queue)) events.push({ type: 'queued', at: prompt.at, prompt });
  for (const request of without(after.requests, before.requests)) events.push({ type: 'request_opened', at: request.at, request });
  const wasCancelling = before.turn.type === 'cancelling' && before.turn.turnId === turnId;
  if (turn.type === 'cancelling' && !wasCancelling) events.push({ type: 'turn_cancelling', at: turn.since, turnId: turn.turnId });
  if (turn.type !== 'idle' && turn.wait !== undefined) events.push({ type: 'wait', at, wait: turn.wait });
  return events;
}

function without<T extends { readonly id: string }>(all: readonly T[], others: readonly T[]): readonly T[] {
  const ids = new Set(others.map(({ id }) => id));
  return all.filter(({ id }) => !ids.has(id));
}

/** A plan in Markdown is an item. */
function stepsOf(plans: readonly Plan[]): ReadonlyMap<string | undefined, readonly PlanEntry[]> {
  return new Map(plans.flatMap(({ planId, entries }) => (entries.length === 0 ? [] : [[planId, entries] as const])));
}

/** What was added to an item. */
function changesOf(before: TranscriptItem, item: TranscriptItem): readonly SessionEvent[] {
  if (isDeepEqual(before, item)) return [];
  if (item.kind === 'tool') {
    const { at, patch, ...call } = toolCallOf(item);
    return [{ ...call, at: item.endedAt ?? at, patch: { ...patch, status: item.status } }];
  }
  // In a later turn, the same text would be another item.
  if (item.kind === 'plan' && before.kind === 'plan') return eventsOf(item).slice(isDeepEqual(before.text, item.text) ? 1 : 0);
  if (item.kind !== 'message' || before.kind !== 'message') return eventsOf(item);
  const last = before.content.length - 1;
  const content = item.content.flatMap((block, index) => {
    if (index > last) return [block];
    const was = before.content[index];
    if (index < last || block.type !== 'text' || was?.type !== 'text' || !block.text.startsWith(was.text)) return [];
    const added = block.text.slice(was.text.length);
    return added === '' ? [] : [{ ...block, text: added }];
  });
  return eventsOf({ ...item, content });
}

function isDeepEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function promptOf({ content, promptId }: Extract<TranscriptItem, { kind: 'message' }>): Pick<TurnStarted, 'content' | 'promptId'> {
  return { content, ...(promptId !== undefined && { promptId }) };
}

type TurnStarted = Extract<SessionEvent, { type: 'turn_started' }>;

function endOf({ at, turnId, outcome }: TurnEndItem): SessionEvent {
  return { type: 'turn_ended', at, turnId, outcome };
}

function eventsOf(item: TranscriptItem): readonly SessionEvent[] {
  switch (item.kind) {
    case 'message': {
      const { role, messageId, promptId, content, startedAt: at } = item;
      const named = { ...(messageId !== undefined && { messageId }), ...(promptId !== undefined && { promptId }) };
      return content.map((block) => ({ type: 'message', at, role, ...named, content: block, ...insideOf(item) }));
    }
    case 'tool':
      return toolEvents(item);
    case 'notice': {
      const { kind: _, id: _id, turnId: _turnId, ...notice } = item;
      return ['code' in notice ? { type: 'host_notice', ...notice } : withoutAbsent({ type: 'notice', ...notice })];
    }
    case 'compaction': {
      const { at, status, summary, error } = item;
      // The reducer puts this before the id.
      const id = item.id.replace(/^c:/, '');
      return [{ type: 'compaction', id, at, status, summary, ...(error !== undefined && { error }) }];
    }
    case 'plan': {
      const { at, planId, text, isRemoved } = item;
      const plan = { type: 'plan', at, ...named(planId), entries: [], ...insideOf(item) } as const;
      return [{ ...plan, text }, ...(isRemoved ? [plan] : [])];
    }
    case 'subagent': {
      const { agentId, title, description, task, status, error, canStop, startedAt, worksSince, workedMs } = item;
      const begins = withoutAbsent({ title, description, task, error, canStop, status: 'running' as const });
      const event = { type: 'subagent', agentId, ...insideOf(item) } as const;
      return [
        { ...event, at: startedAt, patch: status === 'unknown' ? { ...begins, status } : begins },
        ...(worksSince === undefined && status !== 'unknown' ? [{ ...event, at: startedAt + workedMs, patch: { status } }] : []),
        ...(status === 'requires_action' ? [{ ...event, at: worksSince ?? startedAt, patch: { status } }] : []),
      ];
    }
    case 'turn_end':
      return [];
  }
}

function insideOf({ subagentId }: { readonly subagentId?: string }): { readonly subagentId?: string } {
  return subagentId === undefined ? {} : { subagentId };
}

function named(planId: string | undefined): { readonly planId?: string } {
  return planId === undefined ? {} : { planId };
}

function toolEvents(item: ToolItem): readonly SessionEvent[] {
  const { status, startedAt, endedAt } = item;
  const { patch, ...call } = toolCallOf(item);
  const begins = { ...call, patch: { ...patch, status: status === 'pending' ? status : ('in_progress' as const) } };
  return status === begins.patch.status ? [begins] : [begins, { ...call, at: endedAt ?? startedAt, patch: { status } }];
}

function toolCallOf(item: ToolItem): Extract<SessionEvent, { type: 'tool' }> {
  const { id, toolCallId, startedAt: at, title, toolKind, content, locations, rawInput, rawOutput, exit, caveat } = item;
  const patch: ToolPatch = withoutAbsent({ title, toolKind, content, locations, rawInput, rawOutput, exit, caveat });
  return { type: 'tool', at, id, toolCallId, patch, ...insideOf(item) };
}
