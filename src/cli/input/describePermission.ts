/** Describes a permission request for a terminal: the command, the diff or the raw input. */
import path from 'node:path';
import { type PermissionSubject, revealHidden, type ToolCallContent } from '../../core/index.js';
import type { Paint } from '../output/paint.js';
import { diffText } from './diffText.js';

const MOST_LINES = 60;

export function describePermission(
  { content, locations, rawInput, title }: PermissionSubject,
  { cwd, paint }: { readonly cwd: string; readonly paint: Paint },
): readonly string[] {
  const diffs = content.flatMap((part) => diffLines(part, cwd, paint));
  const command = rawCommand(rawInput);
  const lines: string[] = [];
  if (command !== undefined && command !== title)
    lines.push(
      ...revealHidden(command)
        .split('\n')
        .map((line) => paint.bold(`$ ${line}`)),
    );
  if (diffs.length > 0) lines.push(...diffs);
  else if (command === undefined) lines.push(...rawLines(rawInput));
  if (diffs.length === 0) lines.push(...locations.map(({ path: file, line }) => shownPath(file, cwd) + (line ? `:${line}` : '')));
  const cut =
    lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), paint.dim(`… and ${lines.length - MOST_LINES} more lines`)] : lines;
  return cut.map((line) => `    ${line}`);
}

function diffLines(part: ToolCallContent, cwd: string, paint: Paint): readonly string[] {
  if (part.type !== 'diff') return [];
  const isNew = part.oldText === null || part.oldText === undefined;
  return [`${shownPath(part.path, cwd)}${isNew ? ' (new file)' : ''}`, ...diffText(part, paint)];
}

function rawCommand(rawInput: unknown): string | undefined {
  if (typeof rawInput !== 'object' || rawInput === null || !('command' in rawInput)) return undefined;
  const { command } = rawInput;
  if (Array.isArray(command)) return command.map(String).join(' ');
  return typeof command === 'string' ? command : undefined;
}

function rawLines(rawInput: unknown): readonly string[] {
  if (rawInput === undefined || rawInput === null) return [];
  return revealHidden(JSON.stringify(rawInput, undefined, 2)).split('\n');
}

function shownPath(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return revealHidden(relative === '' || relative.startsWith('..') ? file : relative);
}
