import type { SessionEvent } from '../session/event.js';
import { isFinished } from '../session/reducePlan.js';
import { originOf } from '../session/reducer.js';

type SubagentEvent = Extract<SessionEvent, { type: 'subagent' }>;

/** Only the last event of each of these types counts. */
export type LastOnlyEvent = Extract<SessionEvent, { type: (typeof lastOnly)[number] }>;
const lastOnly = ['commands', 'options', 'context', 'info', 'usage', 'plan', 'subagent'] as const satisfies readonly SessionEvent['type'][];

export function isLastOnly(event: SessionEvent): event is LastOnlyEvent {
  return lastOnly.some((type) => type === event.type);
}

/** Names what the event replaces. An agent may have several plans and sub-agents. */
export function lastOnlyKey(event: LastOnlyEvent): string {
  if (event.type === 'subagent') return `subagent ${event.agentId}`;
  return event.type === 'plan' && event.planId !== undefined ? `plan ${event.planId}` : event.type;
}

/** Whether an event can be left out without making the rest meaningless: content, as opposed to turns and requests. */
export function isContent(event: SessionEvent): boolean {
  const { type } = event;
  return (
    (type === 'plan' && event.text !== undefined) ||
    type === 'message' ||
    type === 'tool' ||
    type === 'notice' ||
    type === 'host_notice' ||
    type === 'compaction' ||
    type === 'usage' ||
    type === 'wait'
  );
}

/**
 * The state that events leave for later ones, apart from the transcript: settings, the running turn, open tool calls, open requests, the
 * queue.
 */
export function checkpointAfter(events: Iterable<SessionEvent>): readonly SessionEvent[] {
  const kept = new Map<string, SessionEvent>();
  for (const event of events) {
    switch (event.type) {
      case 'turn_started': {
        if (kept.has('turn')) interrupt(kept);
        // Without its content, which precedes it.
        const { content: _, ...started } = event;
        kept.set('turn', started);
        break;
      }
      case 'turn_cancelling':
        if (turnIdOf(kept.get('turn')) === event.turnId) kept.set('cancelling', event);
        break;
      case 'turn_ended':
        endTurn(kept);
        break;
      case 'opened':
        interrupt(kept);
        for (const key of kept.keys()) if (key.startsWith('subagent ')) kept.delete(key);
        kept.set('opened', withOrigin(event, kept.get('opened')));
        break;
      case 'tool':
        keepTool(kept, event);
        break;
      case 'request_opened':
        kept.set(`request ${event.request.id}`, event);
        break;
      case 'request_closed':
        kept.delete(`request ${event.requestId}`);
        break;
      case 'queued':
        kept.set(`queued ${event.prompt.id}`, event);
        break;
      case 'unqueued':
        kept.delete(`queued ${event.promptId}`);
        break;
      default:
        if (isLastOnly(event)) keepLast(kept, event);
    }
  }
  return [...kept.values()];
}

function keepLast(kept: Map<string, SessionEvent>, event: LastOnlyEvent): void {
  const key = lastOnlyKey(event);
  const before = kept.get(key);
  kept.delete(key);
  if (event.type === 'subagent' && before?.type === 'subagent') return void kept.set(key, joinedSubagent(before, event));
  if (event.type !== 'plan' || event.entries.length > 0) kept.set(key, event);
}

/** Members that only the earlier event has still apply. */
export function joinedSubagent(before: SubagentEvent, event: SubagentEvent): SubagentEvent {
  return { ...before, ...event, patch: { ...before.patch, ...event.patch } };
}

function keepTool(kept: Map<string, SessionEvent>, event: Extract<SessionEvent, { type: 'tool' }>): void {
  const key = `tool ${event.id}`;
  const before = kept.get(key);
  const patch = before?.type === 'tool' ? { ...before.patch, ...event.patch } : event.patch;
  if (patch.status === 'completed' || patch.status === 'failed') kept.delete(key);
  else kept.set(key, { ...event, patch });
}

/** The origin of a session stays true. */
function withOrigin(event: Extract<SessionEvent, { type: 'opened' }>, before: SessionEvent | undefined): SessionEvent {
  return before?.type === 'opened' ? { ...event, ...originOf(before), ...originOf(event) } : event;
}

function turnIdOf(event: SessionEvent | undefined): string | undefined {
  return event?.type === 'turn_started' ? event.turnId : undefined;
}

/** Does the same as `interrupt` of the reducer. */
function interrupt(kept: Map<string, SessionEvent>): void {
  for (const key of kept.keys()) if (key.startsWith('request ')) kept.delete(key);
  if (kept.has('turn')) endTurn(kept);
}

function endTurn(kept: Map<string, SessionEvent>): void {
  kept.delete('turn');
  kept.delete('cancelling');
  for (const key of kept.keys()) if (key.startsWith('tool ')) kept.delete(key);
  for (const [key, event] of kept) if (event.type === 'plan' && isFinished(event)) kept.delete(key);
}
