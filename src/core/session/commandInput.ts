/**
 * Finds the commands in the raw input of a tool call. Agents agree neither on the name of the member nor on its form: a text, a list of
 * words, a list of commands, an object that has them, or any of these as JSON in a text.
 */
import { isFields } from '../base/fields.js';
import { parseJson } from '../base/parseJson.js';
import type { ToolKind } from './content.js';

/** Without underscores and hyphens, in lower case. */
const commandName = /^(?:(?:shell|bash|terminal)?(?:command|cmd)|(?:command|cmd)line|script|argv)$/;
/** Each entry of a list with such a name is a command of its own. */
const commandsName = /^(?:(?:shell|bash|terminal)?(?:commands|cmds)|(?:command|cmd)lines|scripts)$/;
/** Such a member is a command only in a call that says that it runs one. */
const runName = /^(?:run|exec|shell|bash|sh|program|executable|code|line|input|text)$/;
/** Real input nests less, and has fewer values. */
const mostLevels = 6;
const mostValues = 10_000;

export type Members = Map<string, unknown>;

/** Removes the commands from the members of an input, and returns them as lines for a shell. Members that only contain commands stay. */
export function takeCommands(left: Members, kind?: ToolKind): readonly string[] {
  const named = takeNamed(left, 0, commandName, commandsName);
  if (named.length > 0) return named;
  const inside = [...left.values()].flatMap((value) => (typeof value === 'object' ? nestedCommands(value, 1) : jsonCommands(value, 1)));
  return inside.length > 0 || kind !== 'execute' ? inside : takeNamed(left, 0, runName);
}

/** Returns the commands of an input as lines for a shell. @param kind of the tool call, if known */
export function commandsIn(rawInput: unknown, kind?: ToolKind): readonly string[] {
  if (isFields(rawInput)) return takeCommands(new Map(Object.entries(rawInput)), kind);
  const found = typeof rawInput === 'string' ? jsonCommands(rawInput, 0) : nestedCommands(rawInput, 0);
  if (found.length > 0 || kind !== 'execute') return found;
  return linesOf(rawInput, false, 0);
}

/** Returns the JSON value of a text that contains an object or a list, possibly between other text. */
export function jsonIn(text: string): unknown {
  const [begin, end] = [text.search(/[[{]/), Math.max(text.lastIndexOf(']'), text.lastIndexOf('}'))];
  if (begin === -1 || end < begin || text.length > mostJson) return undefined;
  return parseJson(text.slice(begin, end + 1));
}

/** Whether a text that contains JSON says nothing beside it. A code fence says nothing. */
export function isOnlyJson(text: string): boolean {
  const rest = text.slice(0, text.search(/[[{]/)) + text.slice(Math.max(text.lastIndexOf(']'), text.lastIndexOf('}')) + 1);
  return /^(?:```\w*```)?$/.test(rest.replace(/\s/g, ''));
}

/** In characters. */
const mostJson = 1_000_000;

/** @param level how deep the members are nested */
function takeNamed(left: Members, level: number, single: RegExp, plural?: RegExp): readonly string[] {
  const found: string[] = [];
  for (const [name, value] of [...left]) {
    const plain = name.replace(/[_-]/g, '').toLowerCase();
    const isPlural = plural?.test(plain) === true;
    if (!isPlural && !single.test(plain)) continue;
    const lines = linesOf(value, isPlural, level + 1);
    if (lines.length === 0) continue;
    // An object may say more than its command.
    if (isWords(value) || lines[0] === value) left.delete(name);
    const rest = left.get('args');
    const isWhole = isPlural || found.length > 0 || lines.length > 1 || !isWords(rest) || rest.length === 0;
    if (!isWhole) left.delete('args');
    // The program of a list of arguments is one word, even with spaces.
    found.push(...(isWhole ? lines : [[typeof value === 'string' ? quote(value) : lines[0], ...rest.map(quoteWord)].join(' ')]));
  }
  return found;
}

/** Returns a single text as it is, because a shell gets it like this, and quotes a list of words. */
function linesOf(value: unknown, isPlural: boolean, level: number): readonly string[] {
  if (level > mostLevels) return [];
  if (typeof value === 'string') {
    const inside = jsonCommands(value, level);
    return inside.length > 0 ? inside : value === '' ? [] : [value];
  }
  if (isWords(value)) return isPlural ? value.map(String) : value.length === 0 ? [] : [value.map(quoteWord).join(' ')];
  if (Array.isArray(value)) return value.flatMap((one) => linesOf(one, false, level + 1));
  return isFields(value) ? nestedCommands(value, level) : [];
}

/** Returns the commands anywhere in a value. */
function nestedCommands(value: unknown, begin: number): readonly string[] {
  const found: string[] = [];
  const waiting: { readonly value: unknown; readonly level: number }[] = [{ value, level: begin }];
  for (let at = 0; at < waiting.length && at < mostValues; at++) {
    const { value: one, level } = waiting[at] ?? { value: undefined, level: begin };
    if (level > mostLevels) continue;
    if (Array.isArray(one)) for (const entry of one) waiting.push({ value: entry, level: level + 1 });
    if (!isFields(one)) continue;
    const left: Members = new Map(Object.entries(one));
    found.push(...takeNamed(left, level, commandName, commandsName));
    for (const member of left.values()) waiting.push({ value: member, level: level + 1 });
  }
  return found;
}

function jsonCommands(value: unknown, level: number): readonly string[] {
  if (typeof value !== 'string' || !/^\s*(?:```\w*\s*)?[[{]/.test(value)) return [];
  const found = nestedCommands(jsonIn(value), level + 1);
  // A shell would run what follows, too, as in `[{"command":"ls"}]; rm x`.
  return found.length === 0 || isOnlyJson(value) ? found : [value];
}

function isWords(value: unknown): value is readonly (string | number | boolean)[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string' || typeof word === 'number' || typeof word === 'boolean');
}

function quoteWord(word: string | number | boolean): string {
  return quote(String(word));
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
