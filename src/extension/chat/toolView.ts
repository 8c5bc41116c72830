/** Tool calls for users: what is done to what, and with which result. */
import { basename, isAbsolute, relative } from 'node:path';
import type { ToolItemView, ToolKindView } from '../../contract/view.js';
import type { AttachmentView, DiffView, LocationView } from '../../contract/viewParts.js';
import {
  commandIn,
  diffTexts,
  snippetStart,
  stripControls,
  subagentCall,
  subagentStart,
  textMember,
  type ToolCallContent,
  type ToolCallLocation,
  type ToolItem,
  type ToolStatus,
  unwrapShell,
  isWithin,
  withoutAbsent,
} from '../../core/index.js';
import { caveatText, exitText } from '../../text/hintText.js';
import { outputText, toolTitle, toolVerbs, withoutFence } from '../../text/workText.js';
import { attachmentsOf } from './messageView.js';

const statusTexts: Readonly<Record<ToolStatus, string>> = {
  pending: 'waiting',
  in_progress: 'running',
  completed: 'done',
  failed: 'failed',
  cancelled: 'stopped',
  unreported: 'no end reported',
  rejected: 'rejected',
};

/** Members of a tool's input that say what it is about, by kind, the most specific first. */
const paths = ['file_path', 'filePath', 'path'] as const;
const words = ['pattern', 'query', 'text'] as const;
const targetMembers: Readonly<Record<ToolKindView, readonly string[]>> = {
  read: paths,
  edit: paths,
  delete: paths,
  move: paths,
  search: [...words, ...paths],
  execute: [],
  fetch: ['url', 'uri'],
  think: [],
  switch_mode: [],
  other: [...words, 'url', 'uri', ...paths],
};

/** More than a card can show; the whole text can be opened as a document of the editor. */
const rawLimitChars = 20_000;

/** What the card of a tool call and its permission request have in common. */
export interface ToolFacts {
  readonly target: string | undefined;
  /** Without the shell that runs it. */
  readonly command: string | undefined;
  readonly diffs: DiffView[];
  readonly locations: LocationView[];
  readonly attachments: AttachmentView[];
  readonly output: string;
  readonly rawInput: string | undefined;
}

export function toolFacts(tool: Pick<ToolItem, 'content' | 'locations' | 'rawInput' | 'toolKind'>, cwd: string): ToolFacts {
  const locations = tool.locations.map((location) => locationView(location, cwd));
  const lineOf = firstLines(tool.locations);
  const line = tool.toolKind === 'execute' || tool.toolKind === 'other' ? commandIn(tool.rawInput) : undefined;
  const command = line === undefined ? undefined : unwrapShell(line);
  return {
    target: (command === undefined ? inputTarget(tool.rawInput, tool.toolKind, cwd) : firstLine(command)) ?? locations[0]?.label,
    command,
    diffs: tool.content.flatMap((content) => diffViews(content, lineOf, cwd)),
    locations,
    attachments: tool.content.flatMap((content) => (content.type === 'content' ? attachmentsOf([content.content]) : [])),
    output: outputText(tool.content),
    rawInput: prettyJson(tool.rawInput),
  };
}

/** Ignores the tags that tell a model that a call failed. */
function saysTheSame(rawOutput: unknown, output: string): boolean {
  return (
    typeof rawOutput === 'string' &&
    withoutFence(rawOutput)
      .replace(/<\/?tool_use_error>/g, '')
      .trim() === output.trim()
  );
}

export function toolItemView(tool: ToolItem, id: string, { cwd, agent }: { readonly cwd: string; readonly agent: string }): ToolItemView {
  const facts = toolFacts(tool, cwd);
  const whole = toolTitle(tool.title, cwd).trim() || 'Tool call';
  const started = subagentStart(whole, tool.rawInput);
  const caller = subagentCall(whole);
  // What it does comes first, because a narrow row cuts the rest.
  const byCaller = (what: string): string => (caller === undefined || tool.subagentId !== undefined ? what : `${what} · ${caller.name}`);
  const title = byCaller(caller?.tool ?? whole);
  const creates = tool.toolKind === 'edit' && facts.diffs.length > 0 && facts.diffs.every(({ oldText }) => oldText === undefined);
  const does = tool.toolKind === 'other' ? title : byCaller(creates ? 'Create' : toolVerbs[tool.toolKind]);
  const verb = started === undefined ? does : 'Sub-agent';
  const named = started === undefined ? (facts.target ?? facts.diffs[0]?.label) : `${started.name}: ${started.task ?? title}`;
  const target = named === undefined ? (verb === title ? undefined : title) : stripControls(named);
  const rawOutput = saysTheSame(tool.rawOutput, facts.output) ? undefined : prettyJson(tool.rawOutput);
  // If the row shortens the command, the full command appears below it.
  const input = facts.command ?? (title === stripControls(tool.title) || facts.rawInput !== undefined ? undefined : tool.title);
  const waitsSince = tool.endedAt === undefined ? tool.waitsSince : undefined;
  const badEnd = tool.exit === undefined || !isTold(tool.status) ? undefined : exitText(tool.exit);
  return {
    kind: 'tool',
    id,
    toolKind: tool.toolKind,
    title,
    verb,
    // A failed command must not look successful, whatever the agent reports.
    status: badEnd === undefined ? tool.status : 'failed',
    statusText: badEnd ?? (waitsSince === undefined ? statusTexts[tool.status] : 'needs input'),
    diffs: facts.diffs,
    locations: facts.locations,
    attachments: facts.attachments,
    startedAt: tool.startedAt,
    ...terminalOf(tool.content),
    ...withoutAbsent({
      target,
      input,
      output: facts.output || undefined,
      rawInput: facts.rawInput,
      rawOutput,
      caveat: tool.caveat && caveatText(tool.caveat, agent),
      endedAt: tool.endedAt,
      waitedMs: tool.waitedMs,
      waitsSince,
    }),
  };
}

function terminalOf(content: readonly ToolCallContent[]): Pick<ToolItemView, 'terminal'> {
  const terminals = content.filter((part) => part.type === 'terminal');
  if (terminals.length === 0) return {};
  return { terminal: terminals.some(({ runs }) => runs === true) ? 'running' : 'shown' };
}

function isTold(status: ToolStatus): boolean {
  return status === 'completed' || status === 'failed';
}

export function shortPath(path: string, cwd: string): string {
  if (!isAbsolute(path) || !isWithin(cwd, path)) return path;
  return relative(cwd, path) || basename(cwd) || cwd;
}

/** Returns indented JSON, cut to the limit; undefined if there is no value. */
export function prettyJson(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return text.length <= rawLimitChars ? text : `${text.slice(0, rawLimitChars)}\n… ${text.length - rawLimitChars} more characters`;
}

function locationView(location: ToolCallLocation, cwd: string): LocationView {
  const label = shortPath(location.path, cwd);
  return location.line === undefined || location.line === null
    ? { path: location.path, label }
    : { path: location.path, line: location.line, label: `${label}:${location.line}` };
}

type DiffContent = Extract<ToolCallContent, { type: 'diff' }>;

interface ChangeSize {
  readonly added: number;
  readonly removed: number;
  readonly lines: number;
}

/** Cached, because every update of a tool call draws its changes again. */
const sizes = new WeakMap<DiffContent, ChangeSize>();

type LineOf = (path: string) => number | undefined;

/** @returns a function that returns the line of the first location with a path; 1-based */
function firstLines(locations: readonly ToolCallLocation[]): LineOf {
  // The last entry of a map counts.
  const lines = new Map(locations.toReversed().map(({ path, line }) => [path, line ?? undefined]));
  return (path) => lines.get(path);
}

function diffViews(content: ToolCallContent, lineOf: LineOf, cwd: string): DiffView[] {
  if (content.type !== 'diff') return [];
  const { path, newText } = content;
  const oldText = content.oldText ?? undefined;
  const { added, removed, lines } = sizeOf(content);
  const firstLine = snippetStart(lines, lineOf(path));
  return [
    {
      path,
      label: shortPath(path, cwd),
      newText,
      ...(oldText === undefined ? {} : { oldText }),
      ...(firstLine === 1 ? {} : { firstLine }),
      added,
      removed,
    },
  ];
}

function sizeOf(content: DiffContent): ChangeSize {
  let size = sizes.get(content);
  if (size === undefined) {
    const { added, removed, lines } = diffTexts(content.oldText ?? '', content.newText);
    sizes.set(content, (size = { added, removed, lines: lines.length }));
  }
  return size;
}

function inputTarget(rawInput: unknown, kind: ToolKindView, cwd: string): string | undefined {
  for (const member of targetMembers[kind]) {
    const value = textMember(rawInput, member);
    if (value) return firstLine(shortPath(value, cwd));
  }
  return undefined;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
