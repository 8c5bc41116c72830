import type { SessionEvent } from './event.js';
import type { ItemsDraft } from './itemsDraft.js';
import { isFinal, type SubagentItem, type SubagentStatus } from './model.js';

type SubagentEvent = Extract<SessionEvent, { type: 'subagent' }>;

export function subagentItemId(agentId: string): string {
  return `s:${agentId}`;
}

export function upsertSubagent(draft: ItemsDraft, event: SubagentEvent, turnId: string | undefined): void {
  const { agentId, subagentId, patch, at, toolId } = event;
  const id = subagentItemId(agentId);
  const index = draft.indexOf(id);
  const known = draft.items[index];
  if (known?.kind === 'subagent') draft.replace(index, patched(known, patch, at));
  else {
    const inside = subagentId === undefined || subagentId === agentId ? {} : { subagentId };
    const fresh: SubagentItem = {
      ...{ kind: 'subagent', id, agentId, ...inside, title: '', status: 'unknown', canStop: false },
      ...{ turnId, tools: 0, startedAt: at, workedMs: 0 },
    };
    draft.append(patched(fresh, patch, at));
  }
  if (toolId === undefined) return;
  const call = draft.indexOf(toolId);
  const tool = draft.items[call];
  if (tool?.kind === 'tool' && tool.starts === undefined) draft.replace(call, { ...tool, starts: agentId });
}

/** Call this for a new tool call of the sub-agent. */
export function countTool(draft: ItemsDraft, agentId: string): void {
  const index = draft.indexOf(subagentItemId(agentId));
  const item = draft.items[index];
  if (item?.kind === 'subagent') draft.replace(index, { ...item, tools: item.tools + 1 });
}

/** Ends the sub-agents and their tool calls when the agent is gone. Each of them ends with its last sign of life. */
export function endSubagents(draft: ItemsDraft): void {
  const last = new Map<string, number>();
  let isAny = false;
  for (const item of draft.items) {
    if (item.kind === 'subagent') {
      isAny = true;
      last.set(item.agentId, Math.max(last.get(item.agentId) ?? 0, item.worksSince ?? item.startedAt));
    } else if ('subagentId' in item && item.subagentId !== undefined) {
      const at = item.kind === 'message' ? item.updatedAt : item.kind === 'tool' ? (item.endedAt ?? item.startedAt) : item.at;
      last.set(item.subagentId, Math.max(last.get(item.subagentId) ?? 0, at));
    }
  }
  if (!isAny) return;
  for (let index = 0; index < draft.length; index++) {
    const item = draft.items[index];
    if (item?.kind === 'subagent') {
      const ends = item.worksSince !== undefined || item.status === 'unknown';
      const at = last.get(item.agentId) ?? item.startedAt;
      if (ends || item.canStop) draft.replace(index, patched(item, { canStop: false, ...(ends && { status: 'unreported' }) }, at));
    } else if (item?.kind === 'tool' && item.subagentId !== undefined && !isFinal(item.status)) {
      draft.replace(index, { ...item, status: 'unreported', endedAt: last.get(item.subagentId) ?? item.startedAt });
    }
  }
}

function patched(item: SubagentItem, { description, error, ...patch }: SubagentEvent['patch'], at: number): SubagentItem {
  const { description: described, error: failed, worksSince, ...rest } = item;
  const next = { ...rest, ...patch, ...textOf('description', described, description), ...textOf('error', failed, error) };
  if (isWorking(next.status)) return { ...next, worksSince: worksSince ?? at };
  return worksSince === undefined ? next : { ...next, workedMs: next.workedMs + Math.max(0, at - worksSince) };
}

function textOf<K extends 'description' | 'error'>(
  name: K,
  before: string | undefined,
  patch: string | null | undefined,
): { [P in K]?: string } {
  const text = patch === undefined ? before : (patch ?? undefined);
  return (text === undefined ? {} : { [name]: text }) as { [P in K]?: string };
}

/** Also while it waits for the user. */
export function isWorking(status: SubagentStatus): boolean {
  return status === 'running' || status === 'requires_action';
}
