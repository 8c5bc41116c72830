/** Keeps an agent's text in its own column of the terminal, so that none of it can look like a line of ours. */
import type { Paint } from './paint.js';

const edge = '  │ ';
const defaultColumns = 80;
const leastColumns = 20;
const tabColumns = 4;
/** A style of ours, which takes no room, or one character. */
const tokens = /\x1b\[[\d;]*m|[\s\S]/gu;

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
  return [...text].reduce((sum, character) => sum + columnsOf(character), 0) < (columns || defaultColumns);
}

/** What ends the styles of `Paint`; each of them has one. */
const styleEnds = /^\x1b\[(?:0|22|27|39)m$/;
const endOfAll = '\x1b[0m';

function wrap(line: string, width: number): readonly string[] {
  const lines: string[] = [];
  let current = '';
  let used = 0;
  /** What began and has not ended: it goes on behind the edge of the next line, which has a style of its own. */
  let styles = '';
  for (const [token] of line.matchAll(tokens)) {
    const isStyle = token.startsWith('\x1b');
    const columns = isStyle ? 0 : columnsOf(token);
    if (used + columns > width) {
      lines.push(styles === '' ? current : current + endOfAll);
      current = styles;
      used = 0;
    }
    if (isStyle) styles = styleEnds.test(token) ? '' : styles + token;
    current += token;
    used += columns;
  }
  return [...lines, current];
}

/** No less than what terminals use: one that is too narrow would let text out, one that is too wide only breaks early. */
function columnsOf(character: string): number {
  return (character.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2;
}
