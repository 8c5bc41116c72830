/** Formats a change of a file for a terminal: line numbers, signs, and changed parts of lines stand out. */
import {
  type DiffLine,
  diffTexts,
  foldUnchanged,
  type PlacedHunk,
  type LineDiff,
  partsOf,
  revealHidden,
  type ToolCallContent,
} from '../../core/index.js';
import type { Paint } from './terminalText.js';

export type DiffContent = Extract<ToolCallContent, { type: 'diff' }>;

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
