/** Formats what appears below the line of a call that ended, at a terminal: how a file changed, and what a command printed. */
import { printedText } from '../../core/index.js';
import type { ToolPatch } from '../../core/index.js';
import { outputText } from '../../text/toolText.js';
import { boxed } from './boxed.js';
import { diffText } from './diffText.js';
import type { Paint } from './paint.js';

const mostLines = 10;
/** Longer lines are for files and pipes. */
const mostColumns = 400;

export interface ToolResultOptions {
  readonly columns: number | undefined;
  readonly paint: Paint;
  /** The user decided about the change, and has therefore seen it. */
  readonly isDecided: boolean;
}

/** @returns lines with styles: the first ones of a change, the last ones of output */
export function toolResult({ content = [], toolKind }: ToolPatch, { columns, paint, isDecided }: ToolResultOptions): readonly string[] {
  const changed = isDecided ? [] : content.flatMap((one) => (one.type === 'diff' ? diffText(one, paint) : []));
  const printed = toolKind === 'execute' ? printedLines(outputText(content)) : [];
  return [
    ...changed.slice(0, mostLines),
    ...moreLines(changed.length, 'more', paint),
    ...moreLines(printed.length, 'earlier', paint),
    ...printed.slice(-mostLines),
  ].flatMap((line) => boxed(line, columns, paint));
}

function moreLines(count: number, which: 'more' | 'earlier', paint: Paint): readonly string[] {
  const left = count - mostLines;
  return left > 0 ? [paint.dim(`⋯ ${left} ${which} ${left === 1 ? 'line' : 'lines'}`)] : [];
}

function printedLines(output: string): readonly string[] {
  const text = printedText(output).trimEnd();
  return text === '' ? [] : text.split('\n').map((line) => line.slice(0, mostColumns));
}
