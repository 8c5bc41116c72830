/** The texts for what an agent works on: tool calls, sub-agents, and what goes on after a turn. */
import {
  type AskingSubagent,
  foldToOneLine,
  type LateWork,
  stripControls,
  type SubagentStatus,
  type ToolCallContent,
  type ToolKind,
  unwrapShell,
} from '../core/index.js';
import { counted } from './sentence.js';

/** What a call does, for the beginning of a title. */
export const toolVerbs: Readonly<Record<ToolKind, string>> = {
  read: 'Read',
  edit: 'Edit',
  delete: 'Delete',
  move: 'Move',
  search: 'Search',
  execute: 'Run',
  think: 'Think',
  fetch: 'Fetch',
  switch_mode: 'Switch mode',
  other: 'Use',
};

/** Matches a shell with the script that it runs, up to the end. */
const shellCall = /(?<![\w./-])(?:\/(?:[\w.-]+\/)+)?(?:ba|z|da|k|a|fi)?sh -.*$/s;

/**
 * Returns the agent's title for a row: paths are relative to the session's folder, and commands appear without the shell that runs them.
 */
export function toolTitle(title: string, cwd: string): string {
  const quoted = /^`([^`]*)`$/.exec(title)?.[1] ?? title;
  return stripControls(withoutFolder(quoted.replace(shellCall, unwrapShell), cwd));
}

/**
 * Returns the text of a tool call. Agents wrap output in a code fence for clients that render it as Markdown; the front ends use a
 * monospace font anyway.
 */
export function outputText(content: readonly ToolCallContent[]): string {
  const parts = content.flatMap((one) => {
    if (one.type === 'terminal') return one.output === undefined ? [] : [one.output];
    return one.type === 'content' && one.content.type === 'text' ? [one.content.text] : [];
  });
  return parts.map(withoutFence).join('\n');
}

export function withoutFence(text: string): string {
  return /^(`{3,})[^\n`]*\n([\s\S]*?)\n?\1\s*$/.exec(text)?.[2] ?? text;
}

/** Makes paths inside the folder relative to it, wherever the folder is the beginning of a path. */
export function withoutFolder(text: string, cwd: string): string {
  const folder = cwd.replace(/[\\/]+$/, '');
  if (folder === '' || !text.includes(folder)) return text;
  const escaped = folder.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return text.replace(new RegExp(String.raw`(?<![\w.\-\\/])${escaped}[\\/](?=[^\s\\/])`, 'g'), '');
}

export type UnfinishedStatus = 'cancelled' | 'unreported' | 'rejected';

/** The texts for ends of tool calls that the host adds if the agent reports none. */
export const unfinishedText: Readonly<Record<UnfinishedStatus, string>> = {
  cancelled: 'canceled',
  unreported: 'no end reported',
  rejected: 'rejected',
};

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
