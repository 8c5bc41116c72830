/** Reads the JSON events of a run. */
import type { EventLine } from '../../src/cli/output/eventSchema.js';

type Of<E extends EventLine['event']> = Extract<EventLine, { readonly event: E }>;

export function only<E extends EventLine['event']>(events: readonly EventLine[], event: E): readonly Of<E>[] {
  return events.filter((line): line is Of<E> => line.event === event);
}

export function updates(events: readonly EventLine[], kind: string): readonly Of<'update'>['update'][] {
  return only(events, 'update').flatMap(({ update }) => (update.sessionUpdate === kind ? [update] : []));
}

function textIn(value: unknown): string {
  return typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string' ? value.text : '';
}

export function answerOf(events: readonly EventLine[]): string {
  return updates(events, 'agent_message_chunk')
    .map((update) => textIn(update['content']))
    .join('');
}

export function thoughtsOf(events: readonly EventLine[]): string {
  return updates(events, 'agent_thought_chunk')
    .map((update) => textIn(update['content']))
    .join('');
}

/** Everything that was reported about tool calls, as one text to search. */
export function toolText(events: readonly EventLine[]): string {
  return JSON.stringify([...updates(events, 'tool_call'), ...updates(events, 'tool_call_update')]);
}

/** Whether a tool call contained a diff. */
export function hasDiff(events: readonly EventLine[]): boolean {
  return toolText(events).includes('"type":"diff"') || JSON.stringify(only(events, 'permission')).includes('"type":"diff"');
}

export function lastTurn(events: readonly EventLine[]): string {
  const end = only(events, 'turn').findLast((line) => line.phase === 'end');
  return end?.phase === 'end' ? [end.outcome, end.stopReason].filter((word) => word !== undefined).join(' ') : 'no end';
}

export function permissionRequests(events: readonly EventLine[]): number {
  return only(events, 'permission').filter(({ phase }) => phase === 'request').length;
}

/** @returns the message of the last error */
export function errorOf(events: readonly EventLine[]): string | undefined {
  return only(events, 'error').at(-1)?.message;
}
