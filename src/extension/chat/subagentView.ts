import type { SubagentItemView } from '../../contract/view.js';
import { foldToOneLine, stripControls, type SubagentItem, type SubagentStatus } from '../../core/index.js';
import { subagentName, subagentStatusText } from '../../text/subagentText.js';

const states: Readonly<Record<SubagentStatus, SubagentItemView['state']>> = {
  unknown: 'unknown',
  running: 'working',
  requires_action: 'waiting',
  idle: 'done',
  cancelled: 'stopped',
  failed: 'failed',
  unreported: 'unknown',
};

export function subagentView(item: SubagentItem, id: string, agent: string): SubagentItemView {
  const { title, description, task, status, error, tools, workedMs, worksSince, canStop } = item;
  const works = worksSince !== undefined;
  return {
    kind: 'subagent',
    id,
    name: subagentName(title),
    ...(description === undefined || description.trim() === '' ? {} : { description: foldToOneLine(stripControls(description)) }),
    ...(task === undefined ? {} : { task: stripControls(task) }),
    state: states[status],
    stateText: subagentStatusText[status],
    ...(error === undefined ? {} : { error: stripControls(error) }),
    tools,
    workedMs,
    ...(works ? { worksSince } : {}),
    canStop: canStop && works,
    ...(works && !canStop ? { note: `${agent} can't stop this sub-agent by itself: stop the turn instead.` } : {}),
  };
}
