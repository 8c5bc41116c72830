/** The last turn of a session as events, for programs that show events and come in the middle of it. */
import { withoutAbsent } from '../base/fields.js';
import type { SessionEvent, ToolPatch } from './event.js';
import { isFinished } from './reducePlan.js';
import type { SessionState, ToolItem, TranscriptItem, TurnEndItem } from './model.js';

/**
 * The running turn from its beginning until now, or else the last one with its end; empty if there was none. Reduced, the events result in
 * the same items. What arrived in many pieces is one event.
 */
export function lastTurnOf(state: SessionState): readonly SessionEvent[] {
  const { items, turn, plans, requests, queue } = state;
  const end = turn.type === 'idle' ? items.findLast((item) => item.kind === 'turn_end') : undefined;
  const turnId = turn.type === 'idle' ? end?.turnId : turn.turnId;
  const at = turn.type === 'idle' ? end?.startedAt : turn.startedAt;
  if (turnId === undefined || at === undefined) return [];
  const last = end === undefined ? items.length : items.indexOf(end);
  const before = items.findLastIndex((item, index) => index < last && item.kind === 'turn_end');
  const since = items.slice(before + 1, last);
  // What belongs to no turn may have arrived before this one.
  const begin = since.findIndex((item) => 'turnId' in item && item.turnId === turnId);
  const [first, ...rest] = begin < 0 ? [] : since.slice(begin).filter((item) => !('turnId' in item) || item.turnId === turnId);
  const isPrompt = first?.kind === 'message' && first.role === 'user' && first.startedAt === at;
  // The end of a turn makes notices of finished plans, which are among the items then.
  const shown = plans.filter((plan) => plan.entries.length > 0 && (turn.type !== 'idle' || !isFinished(plan)));
  return [
    { type: 'turn_started', at, turnId, ...(isPrompt && promptOf(first)) },
    ...[...(first !== undefined && !isPrompt ? [first] : []), ...rest].flatMap(eventsOf),
    ...shown.map(({ planId, entries }) => ({ type: 'plan', at, ...named(planId), entries }) as const),
    ...queue.map((prompt) => ({ type: 'queued', at: prompt.at, prompt }) as const),
    ...requests.map((request) => ({ type: 'request_opened', at: turn.type === 'idle' ? at : (turn.asksSince ?? at), request }) as const),
    ...(turn.type !== 'idle' && turn.wait !== undefined ? [{ type: 'wait', at: turn.lastEventAt, wait: turn.wait } as const] : []),
    ...(turn.type === 'cancelling' ? [{ type: 'turn_cancelling', at: turn.since, turnId } as const] : []),
    ...(end === undefined ? [] : [endOf(end)]),
  ];
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
      const { role, messageId, content, startedAt: at } = item;
      const named = messageId === undefined ? {} : { messageId };
      return content.map((block) => ({ type: 'message', at, role, ...named, content: block, ...insideOf(item) }));
    }
    case 'tool':
      return toolEvents(item);
    case 'notice': {
      const { kind: _, id: _id, turnId: _turnId, ...notice } = item;
      return ['code' in notice ? { type: 'host_notice', ...notice } : withoutAbsent({ type: 'notice', ...notice })];
    }
    case 'compaction': {
      const { id, at, status, summary, error } = item;
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
  const { id, toolCallId, status, startedAt, endedAt, title, toolKind, content, locations, rawInput, rawOutput, exit, caveat } = item;
  const known = withoutAbsent({ title, toolKind, content, locations, rawInput, rawOutput, exit, caveat });
  const patch: ToolPatch = { ...known, status: status === 'pending' ? 'pending' : 'in_progress' };
  const call = { type: 'tool', id, toolCallId, ...insideOf(item) } as const;
  const begins = { ...call, at: startedAt, patch };
  return status === patch.status ? [begins] : [begins, { ...call, at: endedAt ?? startedAt, patch: { status } }];
}
