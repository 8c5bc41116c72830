/**
 * Text of agents in tables, and in a column of its own, where it can't look like a line of the host. What the user decides about is
 * spelled out instead (`revealHidden`).
 */
import * as util from 'node:util';
import stringWidth from 'string-width';
import { charactersOf, withEllipsis } from '../../text/plainText.js';

const edge = '  │ ';
const defaultColumns = 80;
const leastColumns = 20;
const tabColumns = 4;
/** Matches one of our style sequences, which has no width. */
const style = /\x1b\[[\d;]*m/y;
const escape = 0x1b;

/**
 * @param text with hidden characters spelled out; styles in it are the host's
 * @param columns the width of the terminal, 0 or undefined if unknown. Lines are wrapped here, because lines that the terminal wraps begin
 * at its edge.
 */
export function boxed(text: string, columns: number | undefined, paint: Paint): readonly string[] {
  const width = Math.max(leastColumns, (columns || defaultColumns) - edge.length - 1);
  return text
    .split('\n')
    .flatMap((line) => wrap(line.replaceAll('\t', ' '.repeat(tabColumns)), width).map((one) => `${paint.dim(edge)}${one}`));
}

/** Whether a text without styles fits on one line of the terminal. */
export function fitsOnLine(text: string, columns: number | undefined): boolean {
  return [...text].reduce((sum, character) => sum + columnsOf(character.codePointAt(0) ?? 0), 0) < (columns || defaultColumns);
}

/** Matches the ends of the styles of `Paint`; each style has one. */
const styleEnds = /^\x1b\[(?:0|22|27|39)m$/;
const endOfAll = '\x1b[0m';

function wrap(line: string, width: number): readonly string[] {
  const lines: string[] = [];
  let start = 0;
  let used = 0;
  /** The styles that have begun and not ended. They continue on the next line behind its edge, which has its own style. */
  let styles = '';
  let stylesAtStart = '';
  const take = (end: number): string => stylesAtStart + line.slice(start, end) + (end < line.length && styles !== '' ? endOfAll : '');
  for (let at = 0; at < line.length; ) {
    const code = line.codePointAt(at) ?? 0;
    const found = code === escape ? styleAt(line, at) : '';
    if (found !== '') {
      styles = styleEnds.test(found) ? '' : styles + found;
      at += found.length;
      continue;
    }
    const columns = columnsOf(code);
    if (used + columns > width) {
      lines.push(take(at));
      [start, used, stylesAtStart] = [at, 0, styles];
    }
    used += columns;
    at += code > 0xffff ? 2 : 1;
  }
  return [...lines, take(line.length)];
}

function styleAt(line: string, at: number): string {
  style.lastIndex = at;
  return style.exec(line)?.[0] ?? '';
}

/** Returns at least the width that terminals use: too small a width would let text leave the column, too large a width only wraps early. */
function columnsOf(code: number): number {
  return code < 0x1100 ? 1 : 2;
}

/** Columns as wide as their widest cells. @param rows all with the same number of cells, of one line each */
export function tableText(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => stringWidth(row[column] ?? '')))) ?? [];
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => padded(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return rows.map((row) => `${line(row)}\n`).join('');
}

/**
 * Returns what fits on the screen of a text that is drawn again and again: the rest would scroll its first lines away each time.
 * @param text lines without styles
 * @param screen the size of the terminal, 0 or undefined if unknown
 */
export function cutToScreen(text: string, { columns, rows }: { readonly columns?: number; readonly rows?: number }): string {
  const lines = text.trimEnd().split('\n');
  // The cursor is below the last line.
  const most = Math.max(2, (rows || Infinity) - 1);
  const shown = lines.length <= most ? lines : [...lines.slice(0, most - 1), `… ${lines.length - most + 1} more`];
  return shown.map((line) => `${cutToWidth(line, columns || defaultColumns)}\n`).join('');
}

function cutToWidth(line: string, width: number): string {
  if (stringWidth(line) <= width) return line;
  let [cut, used] = ['', 0];
  for (const character of charactersOf(line)) {
    used += stringWidth(character);
    if (used >= width) break;
    cut += character;
  }
  const shown = cut.trimEnd();
  // Two spaces follow a whole cell.
  return line.startsWith('  ', shown.length) ? shown : withEllipsis(shown);
}

/** Fills up with spaces. */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}

/** `2026-01-31 18:05`, in the local time zone. */
export function localTime(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

type Style = 'dim' | 'bold' | 'inverse' | 'red' | 'green' | 'yellow' | 'cyan';

export type Paint = Readonly<Record<Style, (text: string) => string>>;

/** @param colored the result of `isColored`, because Node checks other variables than docs/cli.md promises */
export function paintFor(colored: boolean): Paint {
  const painter =
    (style: Style) =>
    (text: string): string =>
      // Node before 20.12 has no styleText, so there are no colors.
      colored ? (util.styleText?.(style, text, { validateStream: false }) ?? text) : text;
  return {
    dim: painter('dim'),
    bold: painter('bold'),
    inverse: painter('inverse'),
    red: painter('red'),
    green: painter('green'),
    yellow: painter('yellow'),
    cyan: painter('cyan'),
  };
}
