import type { SessionEvent, ToolPatch } from './event.js';

/** The long members of a patch. Unlike its status, they have no effect on anything but the value that they replace. */
const replaceable = ['content', 'rawOutput', 'rawInput', 'locations'] as const satisfies readonly (keyof ToolPatch)[];

/** Leaves out what a later one of these events replaces as a whole. Leads to the same state. */
export function withoutReplaced(events: readonly SessionEvent[]): readonly SessionEvent[] {
  const replaced = new Set<string>();
  const kept: SessionEvent[] = [];
  for (const event of events.toReversed()) {
    if (event.type === 'tool') kept.push({ ...event, patch: patchWithout(replaced, event.id, event.patch) });
    else if (event.type !== 'commands' && event.type !== 'options') kept.push(event);
    else if (!replaced.has(event.type)) {
      replaced.add(event.type);
      kept.push(event);
    }
  }
  return kept.reverse();
}

/** @param replaced the members that later events of the call have; gets those of this one */
function patchWithout(replaced: Set<string>, id: string, patch: ToolPatch): ToolPatch {
  const rest: { -readonly [Member in keyof ToolPatch]: ToolPatch[Member] } = { ...patch };
  for (const member of replaceable) {
    if (patch[member] === undefined) continue;
    const key = `${member} ${id}`;
    if (replaced.has(key)) delete rest[member];
    else replaced.add(key);
  }
  return rest;
}
