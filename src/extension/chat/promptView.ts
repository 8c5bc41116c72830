/** What an agent asks, with everything that is needed to decide. */
import { isAbsolute } from 'node:path';
import type { PermissionPromptView, PromptView, RequestPartView } from '../../contract/view.js';
import type { DiffView, LocationView } from '../../contract/viewParts.js';
import {
  describePermission,
  dismissingOption,
  foldToOneLine,
  misleadingHost,
  pathBehindLinks,
  type PermissionOption,
  type PermissionRequest,
  type RequestPart,
  revealHidden,
  revealOnOneLine,
  type ShownPath,
  type UserRequest,
} from '../../core/index.js';
import { formMessage, optionText, partLabel, riskText, subjectText } from '../../text/requestText.js';
import { sentences } from '../../text/sentence.js';
import { hostWarning } from '../../text/urlText.js';
import { fieldView } from './fieldView.js';
import { prettyJson, toolFacts } from './toolView.js';

export interface RequestSurroundings {
  /** `name`: where the prompt stands outside of it. Two agents may give their sessions the same id. */
  readonly conversation?: { readonly id: string; readonly name?: string };
  readonly agent: string;
  /** Absolute. */
  readonly cwd: string;
  /** The agent asks although no turn runs. */
  readonly outsideTurn: boolean;
  /** What it asks for is done where the agent runs, in whatever folder. */
  readonly isServer?: boolean;
  /** Named where the window has several folders; absent otherwise. */
  readonly folder: string | undefined;
}

/** Ids of requests are unique in their session only, and those of sessions in their agent. */
function promptIdOf({ sessionId, id }: UserRequest, conversation: RequestSurroundings['conversation']): string {
  return [...(conversation === undefined ? [] : [conversation.id]), sessionId, id].join('/');
}

/** What every prompt has: whose it is, and where it comes from and how long it waits, when either is unusual. */
function frameOf(
  request: UserRequest,
  { conversation, agent, outsideTurn }: RequestSurroundings,
): Pick<PromptView, 'id' | 'agent' | 'conversation' | 'at' | 'note' | 'until'> {
  return {
    id: promptIdOf(request, conversation),
    agent,
    ...(conversation?.name === undefined ? {} : { conversation: conversation.name }),
    at: request.at,
    ...(outsideTurn ? { note: `${agent} asked after its last turn ended.` } : {}),
    ...(request.deadlineAt === undefined ? {} : { until: request.deadlineAt }),
  };
}

export function promptView(request: UserRequest, surroundings: RequestSurroundings): PromptView {
  const { agent } = surroundings;
  const frame = frameOf(request, surroundings);
  switch (request.kind) {
    case 'permission':
      return permissionView(request, surroundings);
    case 'form':
      return {
        kind: 'form',
        ...frame,
        title: request.title === undefined ? `${agent} asks` : foldToOneLine(request.title),
        message: revealHidden(formMessage(request)),
        fields: request.fields.map(fieldView),
        canDecline: request.canDecline === true,
      };
    case 'url': {
      const note = sentences(frame.note ?? '', revealHidden(hostWarning(misleadingHost(request.url))));
      const warned = note === '' ? frame : { ...frame, note };
      return { kind: 'url', ...warned, title: 'Open a page?', message: revealHidden(request.message), url: revealOnOneLine(request.url) };
    }
    case 'confirm':
      return {
        kind: 'confirm',
        ...frame,
        title: foldToOneLine(request.title),
        ...(request.message === undefined ? {} : { message: revealHidden(request.message) }),
      };
    case 'editor':
      return { kind: 'editor', ...frame, title: foldToOneLine(request.title), prefill: request.prefill };
  }
}

function permissionView(request: PermissionRequest, surroundings: RequestSurroundings): PermissionPromptView {
  const { cwd, agent } = surroundings;
  const { subject } = request;
  const description = describePermission(request, { cwd, behindLinks: (path) => pathBehindLinks(cwd, path) });
  const diffs = [...toolFacts(subject, cwd).diffs];
  const title = description.parts.find((part) => part.type === 'title');
  const rawInput = prettyJson(subject.rawInput);
  return {
    kind: 'permission',
    ...frameOf(request, surroundings),
    title: subjectText(description.subject),
    toolKind: subject.toolKind,
    ...(title === undefined || title.covered ? {} : { toolTitle: foldToOneLine(title.text) }),
    parts: description.parts.flatMap((part) => partView(part, () => diffs.shift())),
    risks: description.risks.map(riskText),
    context: whereItRuns(description.parts, surroundings),
    details: detailsOf(description.parts),
    options: description.options.map((option) => optionView(option, request, agent, description.isQuestion)),
    rejectsWhenDismissed: dismissingOption(request) !== undefined,
    ...(rawInput === undefined ? {} : { rawInput: revealHidden(rawInput) }),
  };
}

/** Nothing where the request itself says it in full. */
function whereItRuns(parts: readonly RequestPart[], { cwd, folder, isServer }: RequestSurroundings): string[] {
  if (isServer === true) return ['on the server'];
  if (parts.some((part) => part.type === 'folder' && isAbsolute(part.path))) return [];
  return [folder === undefined ? `in ${revealOnOneLine(cwd)}` : `in ${folder} (${revealOnOneLine(cwd)})`];
}

const icons = {
  allow_once: 'allows',
  allow_always: 'allowsAlways',
  reject_once: 'rejects',
  reject_always: 'rejects',
  other: 'unknown',
} as const;

function optionView(
  option: PermissionOption,
  { alwaysScope }: PermissionRequest,
  agent: string,
  isQuestion: boolean,
): PermissionPromptView['options'][number] {
  return {
    optionId: option.optionId,
    ...optionText(option, alwaysScope, agent),
    icon: icons[option.kind],
    primary: option.kind === 'allow_once' && !isQuestion,
  };
}

/** A value of several lines, or a long one, has a block of its own. */
const valueChars = 120;

/** @param nextDiff changes come in the order of their parts */
function partView(part: RequestPart, nextDiff: () => DiffView | undefined): RequestPartView[] {
  switch (part.type) {
    case 'title':
      return [];
    case 'command':
      return [{ type: 'text', text: revealHidden(part.text), code: true, copy: 'command' }];
    case 'web': {
      const method = part.method === undefined ? '' : `${revealOnOneLine(part.method)} `;
      return [{ type: 'text', text: `${method}${revealOnOneLine(part.url)}`, code: true, copy: 'address' }];
    }
    case 'text':
      return [{ type: 'text', text: revealHidden(part.text), code: false }];
    case 'move':
      return [{ type: 'path', location: placeOf(part.from), to: placeOf(part.to) }];
    case 'path':
      return [{ type: 'path', location: placeOf(part, part.line) }];
    case 'diff': {
      const diff = nextDiff();
      return diff === undefined ? [] : [{ type: 'diff', diff: { ...diff, label: revealOnOneLine(part.label) } }];
    }
    default: {
      const label = partLabel(part);
      const text = revealHidden(part.type === 'folder' ? part.path : part.text);
      if (label !== undefined && !text.includes('\n') && text.length <= valueChars) return [{ type: 'value', label, text }];
      return [{ type: 'text', text, code: true, ...(label === undefined ? {} : { label }) }];
    }
  }
}

function placeOf({ path, label }: ShownPath, line?: number): LocationView {
  const shown = revealOnOneLine(label);
  return line === undefined ? { path, label: shown } : { path, line, label: `${shown}:${line}` };
}

/** What the lines above say in short. */
function detailsOf(parts: readonly RequestPart[]): { label: string; text: string }[] {
  const paths = parts.flatMap((part) =>
    part.type === 'path' || part.type === 'diff' ? [part] : part.type === 'move' ? [part.from, part.to] : [],
  );
  const whole = [...new Set(paths.filter(({ path, label }) => path !== label).map(({ path }) => path))];
  return [
    ...parts.flatMap((part) => (part.type === 'title' && part.covered ? [{ label: 'Title', text: foldToOneLine(part.text) }] : [])),
    ...whole.map((path) => ({ label: 'Path', text: revealOnOneLine(path) })),
  ];
}
