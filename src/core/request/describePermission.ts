import { basename, resolve } from 'node:path';
import { isFields } from '../base/fields.js';
import { shortPath } from '../base/paths.js';
import type { ContentBlock, ToolCallContent } from '../session/content.js';
import { type PermissionOption, permissionOptionKinds, type PermissionRequest, type PermissionSubject } from '../session/userRequest.js';
import { type ChangeWay, fitOf, type PlacedHunk } from './changeFit.js';
import type {
  DiffPart,
  FileText,
  PermissionDescription,
  PlacedChange,
  ProposedFile,
  RequestFolder,
  RequestPart,
  RequestSubject,
  ShownPath,
} from './description.js';
import { inputParts, partsOfText } from './inputParts.js';
import { withoutRepetitions } from './repetitions.js';
import { risksOf } from './risks.js';

/** Pure except for the links and the files. Cache the result by the identity of the request, because this reads every text in it. */
export function describePermission(request: PermissionRequest, folder: RequestFolder): PermissionDescription {
  const { subject, calls = [], moreCalls = 0 } = request;
  const toShown = (path: string): ShownPath => ({
    path,
    label: isFolder(path, folder) ? folder.cwd : shortPath(folder.cwd, path),
  });
  const own = partsOf(subject, folder, toShown);
  const all: readonly RequestPart[] = [
    ...own,
    ...calls.flatMap((call): readonly RequestPart[] => [{ type: 'call', text: call.title }, ...partsOf(call, folder, toShown)]),
    ...(moreCalls === 0 ? [] : [{ type: 'more_calls', count: moreCalls } as const]),
  ];
  const { parts, files } = folder.textOf === undefined ? { parts: all, files: [] } : placeChanges(all, folder.cwd, folder.textOf);
  const title: RequestPart = { type: 'title', text: subject.title, covered: isCovered(subject.title, own) };
  const options = sortedByKind(request.options);
  const about = subjectOf(request, parts);
  return {
    subject: about,
    parts: [title, ...parts],
    risks: risksOf(request, parts, folder),
    files,
    unsaved: changes.has(about.code) ? unsavedIn(parts, folder) : [],
    options,
    isQuestion: options.filter(({ kind }) => kind === 'allow_once').length > 1,
  };
}

const changes: ReadonlySet<RequestSubject['code']> = new Set(['edit', 'create', 'delete', 'move']);

function unsavedIn(parts: readonly RequestPart[], { cwd, textOf }: RequestFolder): readonly ShownPath[] {
  const files = new Map(parts.flatMap(shownPathsIn).map(({ path, label }) => [resolve(cwd, path), label]));
  return [...files].flatMap(([path, label]) => (textOf?.(path)?.isUnsaved === true ? [{ path, label }] : []));
}

/** Returns everything that a call says, except its title. */
function partsOf(
  { rawInput, toolKind, content, locations }: PermissionSubject,
  folder: RequestFolder,
  toShown: (path: string) => ShownPath,
): readonly RequestPart[] {
  // An agent that shows the changes itself may show others than its input makes.
  const input = inputParts(rawInput, toolKind, toShown, !content.some(({ type }) => type === 'diff'));
  const hasCommand = input.some(({ type }) => type === 'command');
  let diffs = 0;
  const contents = content.flatMap((part): readonly RequestPart[] => {
    const text = part.type === 'content' && part.content.type === 'text' && !hasCommand ? part.content.text : undefined;
    return (
      (text === undefined ? undefined : partsOfText(text, toolKind, toShown)) ?? [
        contentPart(part, toShown, part.type === 'diff' ? wayOf(rawInput, diffs++) : 'once'),
      ]
    );
  });
  const isArgument = ({ type }: RequestPart): boolean => type === 'argument';
  const all = [...input.filter((part) => !isArgument(part)), ...contents, ...input.filter(isArgument)];
  const known = withoutRepetitions(all, rawInput);
  const named = new Set(known.flatMap(pathsIn));
  // Where a command runs is said elsewhere.
  const places = locations.filter(({ path }) => !named.has(path) && (known.length === 0 || !isFolder(path, folder)));
  return [...known, ...places.map(({ path, line }): RequestPart => ({ type: 'path', line: line ?? undefined, ...toShown(path) }))];
}

/** @param index of the diff among those of the call */
function wayOf(rawInput: unknown, index: number): ChangeWay {
  const input = isFields(rawInput) ? rawInput : {};
  const edit: unknown = Array.isArray(input['edits']) ? input['edits'][index] : undefined;
  const isAll = [input, ...(isFields(edit) ? [edit] : [])].some((one) => one['replace_all'] === true || one['replaceAll'] === true);
  return input['append'] === true ? 'append' : isAll ? 'everywhere' : 'once';
}

function isFolder(path: string, { cwd }: RequestFolder): boolean {
  return path !== '' && resolve(cwd, path) === resolve(cwd);
}

/** Returns the options by kind, those of one kind in the agent's order, and those of an unknown kind last. */
export function sortedByKind(options: readonly PermissionOption[]): readonly PermissionOption[] {
  return options.toSorted((one, other) => permissionOptionKinds.indexOf(one.kind) - permissionOptionKinds.indexOf(other.kind));
}

function subjectOf({ subject: { toolKind } }: PermissionRequest, parts: readonly RequestPart[]): RequestSubject {
  const diffs = parts.filter((part) => part.type === 'diff');
  const web = parts.find((part) => part.type === 'web');
  const paths = [...new Map(parts.flatMap(shownPathsIn).map((one) => [one.label, one])).values()];
  const [path] = paths;
  const params = { ...(path !== undefined && paths.length === 1 ? { path } : {}), files: paths.length };
  const isNew = diffs.length > 0 && diffs.every(({ change }) => change.oldText == null);
  switch (toolKind) {
    case 'execute':
      return { code: 'run', params };
    case 'edit':
      return { code: isNew ? 'create' : 'edit', params };
    case 'fetch':
      return { code: web?.method === undefined || /^(?:get|head)$/i.test(web.method) ? 'fetch' : 'send', params };
    case 'other':
      return {
        code: parts.some(({ type }) => type === 'command') ? 'run' : diffs.length === 0 ? 'other' : isNew ? 'create' : 'edit',
        params,
      };
    default:
      return { code: toolKind, params };
  }
}

function contentPart(part: ToolCallContent, toShown: (path: string) => ShownPath, way: ChangeWay): RequestPart {
  switch (part.type) {
    case 'diff':
      return { type: 'diff', ...toShown(part.path), change: part, ...(way === 'once' ? {} : { way }) };
    case 'terminal':
      return { type: 'attachment', kind: 'terminal', text: part.terminalId };
    case 'content':
      return blockPart(part.content);
  }
}

function blockPart(block: ContentBlock): RequestPart {
  const attachment = (
    kind: Extract<RequestPart, { type: 'attachment' }>['kind'],
    ...texts: readonly (string | null | undefined)[]
  ): RequestPart => ({
    type: 'attachment',
    kind,
    text: texts.filter((text) => text != null && text !== '').join('\n'),
  });
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
    case 'audio':
      return attachment(block.type, block.mimeType, 'uri' in block ? block.uri : undefined);
    case 'resource_link':
      return attachment('link', block.title, block.name, block.uri, block.description);
    case 'resource':
      return attachment('file', block.resource.uri, 'text' in block.resource ? block.resource.text : block.resource.mimeType);
    default:
      return attachment('other');
  }
}

/** Each text is searched in the title. A title is shown if it is longer, or if there are more texts. */
const mostCovering = 64;
const longestCovered = 10_000;

/** Whether the other parts say the same as the title, except for at most one word, such as a verb. */
function isCovered(title: string, parts: readonly RequestPart[]): boolean {
  const shown = [...new Set(parts.flatMap(tellingTexts))].filter((text) => text !== '');
  if (shown.length > mostCovering || title.length > longestCovered) return false;
  if (shown.some((text) => text.includes(title))) return true;
  const rest = shown
    .toSorted((one, other) => other.length - one.length)
    .reduce((left, text) => left.replaceAll(text, ' '), title.replaceAll('`', ''));
  return rest.length < title.length && (rest.match(/[\p{L}\p{N}_-]+/gu) ?? []).length <= 1;
}

function tellingTexts(part: RequestPart): readonly string[] {
  switch (part.type) {
    case 'command':
      return [part.text];
    case 'web':
      return [part.url];
    default:
      return shownPathsIn(part).flatMap(({ path, label }) => [path, label, basename(path)]);
  }
}

function shownPathsIn(part: RequestPart): readonly ShownPath[] {
  if (part.type === 'path' || part.type === 'diff') return [{ path: part.path, label: part.label }];
  return part.type === 'move' ? [part.from, part.to] : [];
}

function pathsIn(part: RequestPart): readonly string[] {
  return shownPathsIn(part).flatMap(({ path, label }) => [path, label]);
}

// Finds what a request always says and nobody reads: it would hide what is unusual. Front ends show it on demand.

/** A switch with one of these names protects something, so that turning it off is unusual. */
const protection =
  /sandbox|safe|secur|verif|valid|check|confirm|approv|ask|prompt|dry|ssl|tls|cert|sign|restrict|protect|guard|backup|read.?only/i;
const toolName = /^[\w.:-]+$/;

/**
 * Whether the part is as in most requests of its kind: the tool's name where the subject says the same, the session's own folder, and
 * arguments of a command that are off, empty, or limit its time.
 * @param parts all parts of the request
 * @param cwd the session's folder, absolute
 */
export function isOrdinary(part: RequestPart, { code }: RequestSubject, parts: readonly RequestPart[], cwd: string): boolean {
  switch (part.type) {
    case 'title':
      return toolName.test(part.text) && parts.some(({ type }) => ['command', 'web', 'diff', 'move', 'path'].includes(type));
    case 'folder':
      return part.path === cwd || part.path === '.';
    case 'argument':
      if (part.text === 'null' || part.text === '') return part.name !== '';
      if (code !== 'run' || !parts.some(({ type }) => type === 'command')) return false;
      return /^time_?out/i.test(part.name) || (part.text === 'false' && !protection.test(part.name));
    default:
      return false;
  }
}

const digits: Readonly<Record<PermissionOption['kind'], number | undefined>> = {
  allow_once: 1,
  allow_always: 2,
  reject_once: 3,
  reject_always: 4,
  other: undefined,
};

/**
 * Returns the number that chooses each option. The first of each kind has the same number in every request, so that nobody rejects with the
 * digit that allowed a moment ago; all others count from 5. The options of a question are no decisions of these kinds, and count from 1.
 * @param options sorted by kind
 */
export function optionDigits(options: readonly PermissionOption[], isQuestion: boolean): readonly number[] {
  if (isQuestion) return options.map((_, index) => index + 1);
  const taken = new Set<number>();
  let next = 5;
  return options.map(({ kind }) => {
    const own = digits[kind];
    if (own === undefined || taken.has(own)) return next++;
    taken.add(own);
    return own;
  });
}

/** Further changes are not placed: the files that are searched for the changes of a request have this many characters together. */
const mostSearched = 50_000_000;

interface Draft {
  readonly label: string;
  readonly before: string | null;
  /** Undefined: one of the changes does not fit. */
  readonly after: string | undefined;
}

interface PlacedChanges {
  readonly parts: readonly RequestPart[];
  /** The files that all of their changes fit. */
  readonly files: readonly ProposedFile[];
}

/**
 * Says of each change where it is in its file, as the file is now.
 * @param textOf takes an absolute path; returns undefined for a text that can't be shown
 */
function placeChanges(parts: readonly RequestPart[], cwd: string, textOf: (path: string) => FileText | undefined): PlacedChanges {
  const drafts = new Map<string, Draft>();
  let searched = 0;
  const placed = parts.map((part): RequestPart => {
    if (part.type !== 'diff') return part;
    const path = resolve(cwd, part.path);
    const file = textOf(path);
    searched += file?.text?.length ?? 0;
    if (file === undefined || searched > mostSearched) {
      drafts.set(path, { label: part.label, before: null, after: undefined });
      return part;
    }
    const own = placeIn(file, part);
    const draft = drafts.get(path);
    const before = draft === undefined ? (own.isInSaved ? (file.saved ?? '') : file.text) : draft.before;
    const current = draft === undefined ? before : draft.after;
    const next = draft === undefined ? own.fit : current === undefined ? undefined : fitOf(current, part.change, part.way);
    const after = next !== undefined && 'after' in next ? next.after : own.fit.type === 'applied' ? (current ?? '') : undefined;
    drafts.set(path, { label: part.label, before, after });
    // A change may only fit what the ones before it leave.
    return { ...part, placed: next !== undefined && 'after' in next && !('after' in own.fit) ? { ...own, fit: next } : own };
  });
  const files = [...drafts].flatMap(([path, { label, before, after }]) =>
    after === undefined ? [] : [{ path, label, isNew: before === null, after }],
  );
  return { parts: placed, files };
}

/** What does not fit the unsaved text, or is all of what is saved, is for the saved file: an agent reads only that one. */
function placeIn({ text, saved }: FileText, { change, way }: DiffPart): PlacedChange {
  const fit = fitOf(text, change, way);
  const inSaved = saved === undefined ? fit : fitOf(saved, change, way);
  const isInSaved = (fit.type === 'mismatch' && 'after' in inSaved) || (fit.type !== 'whole' && inSaved.type === 'whole');
  return { fit: isInSaved ? inSaved : fit, isInSaved };
}

/** Returns the texts to compare for a change; undefined if nobody knows the text of the file. */
export function shownHunk({ change: { oldText, newText }, placed }: DiffPart): PlacedHunk | undefined {
  if (placed === undefined) return undefined;
  const { fit } = placed;
  switch (fit.type) {
    case 'part':
    case 'everywhere':
      return fit.hunk;
    case 'replaces':
      return { oldText: fit.before, newText, firstLine: 1 };
    case 'whole':
    case 'new':
      return { oldText: oldText ?? '', newText, firstLine: 1 };
    default:
      return { oldText: oldText ?? '', newText, firstLine: undefined };
  }
}
