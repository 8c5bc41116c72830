import { foldToOneLine, stripControls, type AskingSubagent, type SubagentStatus } from '../core/index.js';

/** On one line; empty if the agent gave it no name. */
export function subagentName(title: string): string {
  return foldToOneLine(stripControls(title)).trim();
}

/** Returns "Sub-agent · Explore". */
export function subagentLabel(title: string): string {
  const name = subagentName(title);
  return name === '' ? 'Sub-agent' : `Sub-agent · ${name}`;
}

/** Says who asks, if it is not the agent itself. */
export function askedBy({ name }: AskingSubagent): string {
  return `Asked by ${subagentLabel(name)}.`;
}

/** Empty for one that worked as it should. */
export const subagentStatusText: Readonly<Record<SubagentStatus, string>> = {
  unknown: '',
  running: 'running',
  requires_action: 'needs input',
  idle: '',
  cancelled: 'stopped',
  failed: 'failed',
  unreported: 'no end reported',
};
