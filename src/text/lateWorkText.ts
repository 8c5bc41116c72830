/** What goes on after a turn, in words. */
import { foldToOneLine, type LateWork, stripControls } from '../core/index.js';
import { counted } from './sentence.js';
import { subagentLabel } from './subagentText.js';

/** The heading of what an agent says or does after its turn. */
export const lateHeading = 'After the turn';

/** Returns "Sub-agent · Explore still works" or "2 sub-agents and 1 command still run". @param late not empty */
export function lateWorkText(late: readonly LateWork[]): string {
  const [first, ...others] = late;
  if (first !== undefined && others.length === 0)
    return first.kind === 'subagent' ? `${nameOf(first)} still works` : `${nameOf(first)} still runs`;
  return `${lateWorkCount(late)} still run`;
}

/** Returns "2 sub-agents and 1 command". */
function lateWorkCount(late: readonly LateWork[]): string {
  const subagents = late.filter(({ kind }) => kind === 'subagent').length;
  const calls = late.length - subagents;
  return [...(subagents === 0 ? [] : [counted(subagents, 'sub-agent')]), ...(calls === 0 ? [] : [counted(calls, 'command')])].join(' and ');
}

/** Returns "Sub-agent · Explore ends with it.", for a question before that. @param late empty: it is not known what works */
export function lateLossText(late: readonly LateWork[]): string {
  const [first, ...others] = late;
  if (first === undefined) return 'What the agent still does ends with it.';
  if (others.length === 0) return `${nameOf(first)} ends with it.`;
  return `${lateWorkCount(late)} end with it: ${late.map(nameOf).join(', ')}.`;
}

function nameOf(work: LateWork): string {
  return work.kind === 'subagent' ? subagentLabel(work.title) : foldToOneLine(stripControls(work.title)).slice(0, 200);
}
