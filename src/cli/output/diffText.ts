/** Formats a change of a file for a terminal: line numbers, signs, and changed parts of lines stand out. */
import { diffTexts, foldUnchanged, type LineDiff, partsOf, revealHidden, type ToolCallContent } from '../../core/index.js';
import type { Paint } from './paint.js';

export type DiffContent = Extract<ToolCallContent, { type: 'diff' }>;

const contextLines = 3;
/** Cached, because a request is shown again after an invalid answer. */
const known = new WeakMap<DiffContent, LineDiff>();

export function diffText(content: DiffContent, paint: Paint): readonly string[] {
  const { lines, endings } = diffOf(content);
  const rows = foldUnchanged(lines, contextLines);
  const digits = String(rows.reduce((most, row) => ('skipped' in row ? most : Math.max(most, row.number)), 1)).length;
  const text = rows.map((row) => {
    if ('skipped' in row) return paint.dim(`${' '.repeat(digits)} ⋯ ${row.skipped} unchanged`);
    const head = `${String(row.number).padStart(digits)} ${row.sign}`;
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
