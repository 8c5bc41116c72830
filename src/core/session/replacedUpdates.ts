import type { SessionEvent, ToolPatch } from './event.js';

/** The long members of a patch. Unlike its status, they have no effect on anything but the value that they replace. */
const replaceable = ['content', 'rawOutput', 'rawInput', 'locations'] as const satisfies readonly (keyof ToolPatch)[];

/**
 * Leaves out what another one of these events replaces as a whole. The first update of a tool call gets the last value: what is printed when a
 * call ends need not wait for a repetition of its end. Leads to the same state.
 */
export function withoutReplaced(events: readonly SessionEvent[]): readonly SessionEvent[] {
  const last = new Map<string, unknown>();
  for (const event of events) {
    if (event.type === 'commands' || event.type === 'options') last.set(event.type, event);
    if (event.type !== 'tool') continue;
    for (const member of replaceable) if (event.patch[member] !== undefined) last.set(`${member} ${event.id}`, event.patch[member]);
  }
  return events.flatMap((event) => {
    if (event.type === 'tool') return { ...event, patch: withLast(last, event.id, event.patch) };
    return (event.type === 'commands' || event.type === 'options') && last.get(event.type) !== event ? [] : event;
  });
}

/** @param last the values of the calls; those of this patch are removed */
function withLast(last: Map<string, unknown>, id: string, patch: ToolPatch): ToolPatch {
  const result: Record<string, unknown> = { ...patch };
  for (const member of replaceable) {
    if (patch[member] === undefined) continue;
    const key = `${member} ${id}`;
    if (last.has(key)) result[member] = last.get(key);
    else delete result[member];
    last.delete(key);
  }
  return result;
}
