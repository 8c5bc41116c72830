import type { SessionEvent } from './event.js';

/** Says what sub-agents are told as messages to them, for readers that know no task. The events have all of it each time. */
export class SubagentTasks {
  /** By the id of the sub-agent. */
  readonly #told = new Map<string, string>();

  /** @returns what says the same, in order */
  pass(event: SessionEvent): readonly SessionEvent[] {
    if (event.type !== 'subagent' || event.patch.task === undefined) return [event];
    const { agentId, at, toolId } = event;
    const { task, ...patch } = event.patch;
    const before = this.#told.get(agentId) ?? '';
    this.#told.set(agentId, task);
    const text = task.startsWith(before) ? task.slice(before.length) : task;
    const rest = toolId === undefined && Object.keys(patch).length === 0 ? [] : [{ ...event, patch }];
    return [...rest, { type: 'message', at, role: 'user', content: { type: 'text', text }, subagentId: agentId }];
  }
}
