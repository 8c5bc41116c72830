import { basename, resolve } from 'node:path';
import { isFields } from '../base/fields.js';
import { shortPath } from '../base/paths.js';
import type { ContentBlock, ToolCallContent } from '../session/content.js';
import { permissionOptionKinds, type PermissionOption, type PermissionRequest, type PermissionSubject } from '../session/userRequest.js';
import type { FileText, PermissionDescription, RequestPart, RequestSubject, ShownPath } from './description.js';
import type { ChangeWay } from './changeFit.js';
import { inputParts, partsOfText } from './inputParts.js';
import { placeChanges } from './placeChanges.js';
import { withoutRepetitions } from './repetitions.js';
import { risksOf } from './risks.js';

/** The folder to which the paths of a request are related. */
export interface RequestFolder {
  /** The session's folder, absolute. */
  readonly cwd: string;
  /** Returns where a symbolic link leads (node/linkedPath.ts); undefined if the path stays in the folder. */
  readonly behindLinks: (path: string) => string | undefined;
  /**
   * Returns the text of a file; undefined if it can't be shown. Absent if nobody knows the files.
   * @param path absolute
   */
  readonly textOf?: ((path: string) => FileText | undefined) | undefined;
}

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
  const input = inputParts(rawInput, toolKind, toShown);
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
