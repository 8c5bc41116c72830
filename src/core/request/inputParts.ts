/**
 * Splits the raw input of a tool call into parts that users know. Agents agree on few names for its members; a member with any other name
 * appears under its own name.
 */
import { type Fields, isFields } from '../base/fields.js';
import { commandsIn, isOnlyJson, jsonIn, type Members, takeCommands } from '../session/commandInput.js';
import type { ToolKind } from '../session/content.js';
import type { RequestPart, ShownPath } from './description.js';
import { filesOfPatch } from './patchText.js';

const folderNames = ['cwd', 'workdir', 'working_directory', 'workingDirectory', 'directory'] as const;
const variableNames = ['env', 'environment'] as const;
const stdinNames = ['stdin', 'input'] as const;
const urlNames = ['url', 'uri'] as const;
const bodyNames = ['body', 'data', 'payload'] as const;
const pathNames = ['file_path', 'filePath', 'path', 'abs_path', 'absolute_path', 'notebook_path'] as const;
const movePairs = [
  ['source', 'destination'],
  ['src', 'dst'],
  ['src', 'dest'],
  ['old_path', 'new_path'],
  ['oldPath', 'newPath'],
  ['source_path', 'destination_path'],
  ['sourcePath', 'destinationPath'],
] as const;

/** @param readsPatches whether a patch is shown as the changes that it makes */
export function inputParts(
  rawInput: unknown,
  kind: ToolKind,
  toShown: (path: string) => ShownPath,
  readsPatches = true,
): readonly RequestPart[] {
  if (rawInput === undefined || rawInput === null) return [];
  const input =
    typeof rawInput === 'string' ? (jsonIn(rawInput.startsWith('{') && isOnlyJson(rawInput) ? rawInput : '') ?? rawInput) : rawInput;
  if (!isFields(input)) {
    const patch = readsPatches && typeof input === 'string' ? patchParts(input, toShown) : undefined;
    if (patch !== undefined) return patch;
    const [commands, text] = [commandsIn(input, kind), textOf(rawInput)];
    const isAll = commands.length === 1 && commands[0] === text;
    return [...commands.map(commandPart), ...(isAll ? [] : [{ type: 'argument', name: '', text } as const])];
  }
  const left: Members = new Map(Object.entries(input));
  const known = [...commandParts(left, kind), ...webParts(left), ...moveParts(left, kind, toShown), ...pathParts(left, toShown)];
  const others = [...left].flatMap(([name, value]): readonly RequestPart[] => {
    const patch = readsPatches && typeof value === 'string' ? patchParts(value, toShown, name) : undefined;
    return patch ?? [{ type: 'argument', name, text: textOf(value) }];
  });
  return [...known, ...others];
}

/** Returns the commands in a tool call's raw input as one line, for rows and titles. */
export function commandIn(rawInput: unknown): string | undefined {
  const commands = isFields(rawInput) ? takeCommands(new Map(Object.entries(rawInput))) : [];
  return commands.length === 0 ? undefined : commands.join('; ');
}

/**
 * Returns the parts of a text that contains the input of a call as JSON, or a command in a code fence, which some agents send in place of
 * an input. Undefined for any other text.
 */
export function partsOfText(text: string, kind: ToolKind, toShown: (path: string) => ShownPath): readonly RequestPart[] | undefined {
  const fenced = /^\s*```(?:sh|bash|zsh|shell|console)\n([^`]+?)\n?```\s*$/.exec(text)?.[1];
  if (fenced !== undefined) return [commandPart(fenced)];
  const [begin, end] = [text.indexOf('{'), text.lastIndexOf('}') + 1];
  const json = begin === -1 ? undefined : jsonIn(text.slice(begin, end));
  if (!isFields(json) || commandsIn(json).length === 0) return undefined;
  const around = [
    text
      .slice(0, begin)
      .trim()
      .replace(/^```\w*$/, ''),
    text.slice(end).trim().replace(/^```$/, ''),
  ];
  return [...around.flatMap((one) => (one === '' ? [] : [{ type: 'text', text: one } as const])), ...inputParts(json, kind, toShown)];
}

function commandPart(text: string): RequestPart {
  return { type: 'command', text };
}

function commandParts(left: Members, kind: ToolKind): readonly RequestPart[] {
  const commands = takeCommands(left, kind);
  if (commands.length === 0) return [];
  const folder = takeText(left, folderNames);
  const stdin = takeText(left, stdinNames);
  return [
    ...commands.map(commandPart),
    ...(folder === undefined ? [] : [{ type: 'folder', path: folder } as const]),
    ...takePairs(left, variableNames).map(([name, value]): RequestPart => ({ type: 'variable', name, text: value })),
    ...(stdin === undefined ? [] : [{ type: 'stdin', text: stdin } as const]),
  ];
}

function webParts(left: Members): readonly RequestPart[] {
  const url = takeText(left, urlNames);
  if (url === undefined) return [];
  const method = takeText(left, ['method']);
  const headers = takePairs(left, ['headers']).map(([name, text]): RequestPart => ({ type: 'header', name, text }));
  const bodyName = bodyNames.find((name) => left.get(name) != null);
  const body = bodyName === undefined ? undefined : textOf(left.get(bodyName));
  if (bodyName !== undefined) left.delete(bodyName);
  return [{ type: 'web', method, url }, ...headers, ...(body === undefined ? [] : [{ type: 'body', text: body } as const])];
}

function moveParts(left: Members, kind: ToolKind, toShown: (path: string) => ShownPath): readonly RequestPart[] {
  const pairs = kind === 'move' ? [...movePairs, ['from', 'to'] as const] : movePairs;
  const pair = pairs.find((names) => names.every((name) => isText(left.get(name))));
  if (pair === undefined) return [];
  const [from, to] = pair.map((name) => takeText(left, [name]) ?? '');
  return [{ type: 'move', from: toShown(from ?? ''), to: toShown(to ?? '') }];
}

function pathParts(left: Members, toShown: (path: string) => ShownPath): readonly RequestPart[] {
  const path = takeText(left, pathNames);
  return path === undefined ? [] : [{ type: 'path', line: undefined, ...toShown(path) }];
}

/** Returns what a patch does to each file. A deletion says nothing of what it deletes, so the text of the patch remains with it. */
function patchParts(text: string, toShown: (path: string) => ShownPath, name = ''): readonly RequestPart[] | undefined {
  const files = filesOfPatch(text);
  if (files === undefined) return undefined;
  const parts = files.flatMap((file): readonly RequestPart[] => {
    const shown = toShown(file.path);
    switch (file.type) {
      case 'added':
        return [diffPart(shown, null, file.text)];
      case 'deleted':
        return [{ type: 'path', line: undefined, ...shown }];
      case 'updated':
        return [
          ...(file.movedTo === undefined ? [] : [{ type: 'move', from: shown, to: toShown(file.movedTo) } as const]),
          ...file.hunks.map(({ oldText, newText }) => diffPart(shown, oldText, newText)),
        ];
    }
  });
  return [...parts, ...(files.some(({ type }) => type === 'deleted') ? [{ type: 'argument', name, text } as const] : [])];
}

function diffPart(shown: ShownPath, oldText: string | null, newText: string): RequestPart {
  const change = { type: 'diff', path: shown.path, oldText, newText } as const;
  return { type: 'diff', ...shown, change, ...(oldText === '' ? { way: 'append' } : {}) };
}

function takeText(left: Members, names: readonly string[]): string | undefined {
  const name = names.find((one) => isText(left.get(one)));
  const value = name === undefined ? undefined : left.get(name);
  if (name !== undefined) left.delete(name);
  return isText(value) ? value : undefined;
}

/** Removes and returns an object, or a list of `{ name, value }`, as pairs. */
function takePairs(left: Members, names: readonly string[]): readonly (readonly [string, string])[] {
  for (const name of names) {
    const value = left.get(name);
    const pairs = isFields(value) ? Object.entries(value) : Array.isArray(value) ? value.map(namedValue) : undefined;
    if (pairs === undefined || pairs.includes(undefined)) continue;
    left.delete(name);
    return pairs.flatMap((pair) => (pair === undefined ? [] : [[pair[0], textOf(pair[1])] as const]));
  }
  return [];
}

function namedValue(entry: unknown): readonly [string, unknown] | undefined {
  if (!isFields(entry) || Object.keys(entry).some((key) => key !== 'name' && key !== 'value')) return undefined;
  const { name, value }: Fields = entry;
  return typeof name === 'string' ? [name, value] : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
