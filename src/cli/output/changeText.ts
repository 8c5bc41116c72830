/** Changed files as rows of a terminal, and line by line; and as facts for programs. */
import stringWidth from 'string-width';
import {
  type ChangedFile,
  type ChangeSet,
  type DiffLine,
  diffTexts,
  type FileStatus,
  foldUnchanged,
  type LineDiff,
  partsOf,
  type PlacedHunk,
  revealHidden,
  revealOnOneLine,
  type ToolCallContent,
  type UndoResult,
} from '../../core/index.js';
import { leftText, linesText, problemText, uncountedText } from '../../text/changesText.js';
import { counted } from '../../text/sentence.js';
import type { ChangedFileFacts } from './reportSchema.js';
import { oneLine } from '../../text/plainText.js';
import { localTime, padded, type Paint } from './terminalText.js';

const letters: Readonly<Record<FileStatus, string>> = { added: 'A', modified: 'M', deleted: 'D', renamed: 'R' };
const colors = { added: 'green', modified: 'yellow', deleted: 'red', renamed: 'cyan' } as const;

const promptLength = 60;
const reasonLength = 500;
/** Nobody reads more than so many lines. JSON has all of them. */
const mostLines = 1_000;

interface ShownTurn {
  /** 1-based. */
  readonly number: number;
  /** Empty if the agent began the turn by itself. */
  readonly prompt: string;
  /** When it began, in milliseconds since the epoch. */
  readonly at: number;
  readonly set: Pick<ChangeSet, 'kind' | 'problems'>;
  /** The files to show. */
  readonly files: readonly ChangedFile[];
}

/** A turn as lines: a heading, what to know about it, and its files. */
export function turnLines({ number, prompt, at, set, files }: ShownTurn, paint: Paint): readonly string[] {
  const words = oneLine(prompt, promptLength);
  const facts = [...(words === '' ? [] : [words]), localTime(at), ...(set.kind === 'running' ? ['running'] : [])];
  return [
    `${paint.bold(`Turn ${number}`)} · ${facts.join(' · ')}`,
    ...set.problems.map((problem) => `  ${paint.yellow(problemText(problem))}`),
    ...changeRows(files, paint),
  ];
}

/** Returns `M src/x.ts  +3 −1`, one line per file. Whatever is in a name, it can't control the terminal. */
export function changeRows(files: readonly ChangedFile[], paint: Paint): readonly string[] {
  const rows = files.map((file) => ({ file, name: nameOf(file), counts: file.added + file.removed === 0 ? '' : linesText(file) }));
  const nameWidth = rows.reduce((width, { name }) => Math.max(width, stringWidth(name)), 0);
  const countsWidth = rows.reduce((width, { counts }) => Math.max(width, counts.length), 0);
  return rows.map(({ file, name, counts }) => {
    const notes = notesOf(file);
    const end = notes === '' ? counts : `${counts.padEnd(countsWidth)}  ${paint.dim(notes)}`;
    return `  ${paint[colors[file.status]](letters[file.status])} ${`${padded(name, nameWidth)}  ${end}`.trimEnd()}`;
  });
}

function nameOf({ path, from }: ChangedFile): string {
  return from === undefined ? revealOnOneLine(path) : `${revealOnOneLine(from)} → ${revealOnOneLine(path)}`;
}

function notesOf(file: ChangedFile): string {
  const { by, alsoUser, isUndone } = file;
  return [
    uncountedText(file) ?? [],
    ...(by === 'other' ? ['by a command'] : []),
    ...(alsoUser === true ? ['may be yours'] : []),
    ...(isUndone === true ? ['undone'] : []),
  ]
    .flat()
    .join(' · ');
}

/** Returns one line per file, of very many the first ones; `left` has those that are as they were, and why. */
export function undoLines({ undone, left }: UndoResult): { readonly undone: readonly string[]; readonly left: readonly string[] } {
  return {
    undone: firstOf(undone, 'Undone', revealOnOneLine),
    left: firstOf(left, 'Left', (file) => `${revealOnOneLine(file.path)}: ${oneLine(leftText(file), reasonLength)}`),
  };
}

function firstOf<T>(all: readonly T[], word: string, textOf: (one: T) => string): readonly string[] {
  const lines = all.slice(0, mostLines).map((one) => `${word} ${textOf(one)}`);
  return all.length > mostLines ? [...lines, `${word} ${counted(all.length - mostLines, 'more file')}`] : lines;
}

export function changedFileFacts({ path, status, from, added, removed, by, ...flags }: ChangedFile): ChangedFileFacts {
  return {
    path,
    status,
    ...(from !== undefined && { from }),
    added,
    removed,
    ...(flags.isBinary && { binary: true }),
    by,
    ...(flags.alsoUser && { alsoUser: true }),
    ...(flags.isUndone && { undone: true }),
    ...(flags.unkept !== undefined && { unkept: flags.unkept }),
  };
}

// Formats a change of a file for a terminal: line numbers, signs, and changed parts of lines stand out.

type DiffContent = Extract<ToolCallContent, { type: 'diff' }>;

const contextLines = 3;
/** Cached, because a request is shown again after an invalid answer. */
const known = new WeakMap<DiffContent, LineDiff>();

/** @param hunk where the change is in its file */
export function diffText(content: DiffContent, paint: Paint, hunk?: PlacedHunk): readonly string[] {
  const { lines, endings } = hunk === undefined ? diffOf(content) : diffTexts(hunk.oldText, hunk.newText);
  const rows = foldUnchanged(lines, contextLines);
  const isNumbered = hunk === undefined || hunk.firstLine !== undefined;
  const numberOf = (row: DiffLine): string => (isNumbered ? String(row.number + (hunk?.firstLine ?? 1) - 1) : '');
  const digits = rows.reduce((most, row) => ('skipped' in row ? most : Math.max(most, numberOf(row).length)), isNumbered ? 1 : 0);
  const text = rows.map((row) => {
    if ('skipped' in row) return paint.dim(`${' '.repeat(digits)} ⋯ ${row.skipped} unchanged`);
    const head = `${numberOf(row).padStart(digits)}${isNumbered ? ' ' : ''}${row.sign}`;
    if (row.sign === ' ') return `${paint.dim(head)}${revealHidden(row.text)}`;
    const color = row.sign === '+' ? paint.green : paint.red;
    return partsOf(row)
      .map((part) => (part.changed ? paint.inverse(revealHidden(part.text)) : revealHidden(part.text)))
      .reduce((line, part) => line + color(part), color(head));
  });
  return endings === undefined ? text : [...text, paint.dim(endingTexts[endings])];
}

const endingTexts: Readonly<Record<NonNullable<LineDiff['endings']>, string>> = {
  all_changed: 'The line endings of the whole file change.',
  last_changed: 'Only the line break at the end of the file changes.',
};

function diffOf(content: DiffContent): LineDiff {
  let diff = known.get(content);
  if (diff === undefined) known.set(content, (diff = diffTexts(content.oldText ?? '', content.newText)));
  return diff;
}
