/**
 * Removes from an agent's text what only controls a terminal, for the page and the terminal alike. What the user decides about is spelled
 * out instead (`revealHidden`).
 */
import ansiRegex from 'ansi-regex';

const sequences = ansiRegex();
/** C0 except tab and line feed, DEL, C1. */
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
/** Where a sequence begins that is not complete. */
const introducer = /[\x1b\x90\x98\x9b\x9d-\x9f]/;
const longestSequence = 500;

/** For running text: removes escape sequences and control characters, and keeps the lines. */
export function stripControls(text: string): string {
  return text.replace(sequences, '').replace(controls, '');
}

/** For text that arrives in pieces: the same, and returns the beginning of a sequence, which belongs before the next piece. */
export function stripPiece(text: string): { readonly text: string; readonly held: string } {
  // A sequence that follows an incomplete one shows that it stays incomplete.
  const last = [...text.matchAll(sequences)].at(-1);
  const done = last === undefined ? 0 : last.index + last[0].length;
  const open = text.slice(done).search(introducer);
  const end = open === -1 || text.length - done - open >= longestSequence ? text.length : done + open;
  return { text: stripControls(text.slice(0, end)), held: text.slice(end) };
}

/** For the output of a program: as a terminal shows it in the end, where later characters of a line replace earlier ones. */
export function printedText(output: string): string {
  return printed(output.replace(sequences, '')).replace(controls, '');
}

/** As `printedText`, with the sequences that set colors and styles (SGR). Lines with backspaces have none. */
export function printedWithStyles(output: string): string {
  return printed(output.replace(sequences, (sequence) => (style.test(sequence) ? sequence : ''))).replace(controlsWithoutStyles, '');
}

const style = /^\x1b\[[\d;]*m$/;
const styles = /\x1b\[[\d;]*m/g;
const controlsWithoutStyles = /\x1b(?!\[[\d;]*m)|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]/g;

function printed(text: string): string {
  return text
    .replace(/\r+\n/g, '\n')
    .replace(/^.*\r(?!$)/gm, '')
    .replace(/^.*[\b].*$/gm, (line) => withoutBackspaces(line.replace(styles, '')));
}

function withoutBackspaces(line: string): string {
  const cells: string[] = [];
  let column = 0;
  for (const character of line) {
    if (character === '\b') column = Math.max(0, column - 1);
    else cells[column++] = character;
  }
  return cells.join('');
}
