/**
 * Splits the raw input of a tool call into parts that users know. Agents agree on few names for its members; a member with any other name
 * appears under its own name.
 */
import { type Fields, isFields } from '../base/fields.js';
import type { ToolKind } from '../session/content.js';
import type { RequestPart, ShownPath } from './description.js';

const commandNames = ['command', 'cmd'] as const;
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

type Members = Map<string, unknown>;

export function inputParts(rawInput: unknown, kind: ToolKind, toShown: (path: string) => ShownPath): readonly RequestPart[] {
  if (rawInput === undefined || rawInput === null) return [];
  if (!isFields(rawInput)) return [{ type: 'argument', name: '', text: textOf(rawInput) }];
  const left: Members = new Map(Object.entries(rawInput));
  const known = [...commandParts(left), ...webParts(left), ...moveParts(left, kind, toShown), ...pathParts(left, toShown)];
  return [...known, ...[...left].map(([name, value]): RequestPart => ({ type: 'argument', name, text: textOf(value) }))];
}

/** Returns the command in a tool call's raw input as a line for a shell. */
export function commandIn(rawInput: unknown): string | undefined {
  return isFields(rawInput) ? commandLine(new Map(Object.entries(rawInput))) : undefined;
}

function commandParts(left: Members): readonly RequestPart[] {
  const text = commandLine(left);
  if (text === undefined) return [];
  const folder = takeText(left, folderNames);
  const stdin = takeText(left, stdinNames);
  return [
    { type: 'command', text },
    ...(folder === undefined ? [] : [{ type: 'folder', path: folder } as const]),
    ...takePairs(left, variableNames).map(([name, value]): RequestPart => ({ type: 'variable', name, text: value })),
    ...(stdin === undefined ? [] : [{ type: 'stdin', text: stdin } as const]),
  ];
}

/** Returns a single text as it is, because a shell gets it like this; quotes a list, or a program with a list. */
function commandLine(left: Members): string | undefined {
  const name = commandNames.find((one) => isCommand(left.get(one)));
  if (name === undefined) return undefined;
  const command = left.get(name);
  left.delete(name);
  const rest = left.get('args');
  const args = isWords(rest) && rest.length > 0 ? rest : undefined;
  if (args !== undefined) left.delete('args');
  if (typeof command === 'string' && args === undefined) return command;
  return [...(isWords(command) ? command : [String(command)]), ...(args ?? [])].map((word) => quote(String(word))).join(' ');
}

function isCommand(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || (isWords(value) && value.length > 0);
}

function isWords(value: unknown): value is readonly (string | number | boolean)[] {
  return Array.isArray(value) && value.every((word) => ['string', 'number', 'boolean'].includes(typeof word));
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
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
