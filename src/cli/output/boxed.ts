/** Keeps an agent's text in its own column of the terminal, so that none of it can look like a line of ours. */
import type { Paint } from './paint.js';

const edge = '  │ ';
const defaultColumns = 80;
const leastColumns = 20;
const tabColumns = 4;
/** A style of ours. It takes no room. */
const style = /\x1b\[[\d;]*m/y;
const escape = 0x1b;

/**
 * @param text revealed, with lines; styles in it are ours
 * @param columns of the terminal, 0 or absent where it does not know; wrapped here, because what the terminal wraps begins at its edge
 */
export function boxed(text: string, columns: number | undefined, paint: Paint): readonly string[] {
  const width = Math.max(leastColumns, (columns || defaultColumns) - edge.length - 1);
  return text
    .split('\n')
    .flatMap((line) => wrap(line.replaceAll('\t', ' '.repeat(tabColumns)), width).map((one) => `${paint.dim(edge)}${one}`));
}

/** Whether a text without styles stays on one line of the terminal. */
export function fitsOnLine(text: string, columns: number | undefined): boolean {
  return [...text].reduce((sum, character) => sum + columnsOf(character.codePointAt(0) ?? 0), 0) < (columns || defaultColumns);
}

/** What ends the styles of `Paint`; each of them has one. */
const styleEnds = /^\x1b\[(?:0|22|27|39)m$/;
const endOfAll = '\x1b[0m';

function wrap(line: string, width: number): readonly string[] {
  const lines: string[] = [];
  let start = 0;
  let used = 0;
  /** What began and has not ended: it goes on behind the edge of the next line, which has a style of its own. */
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

/** No less than what terminals use: one that is too narrow would let text out, one that is too wide only breaks early. */
function columnsOf(code: number): number {
  return code < 0x1100 ? 1 : 2;
}
