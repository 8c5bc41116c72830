/** Brings code from an answer to the file that the user works in. */
import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Documents } from './documents.js';
import type { EditorInUse, PlaceInUse } from './editorInUse.js';
import { HostError } from '../../core/index.js';

/** Finds the lines of a file that code in an answer is a new version of. Pure. */

export interface MatchingLines {
  /** 0-based. */
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
  /** The lines that replace them, indented as in the file. */
  readonly lines: readonly string[];
}

/** The comparison looks at each pair of lines, and must not block the editor. */
const mostPairs = 2_000_000;
const scores = { same: 4, sameSign: 1, similar: 2, different: -1, empty: -5, gap: -2 };
/** The share of the lines with words that must be in the file already, one of them unchanged. */
const leastShare = 0.4;

/**
 * @param file the lines of the file
 * @param code the lines of the code, without empty ones at its ends
 * @returns undefined if no place is similar enough, or if there is too much to compare
 */
export function matchingLines(file: readonly string[], code: readonly string[]): MatchingLines | undefined {
  if (code.length === 0 || file.length * code.length > mostPairs) return undefined;
  const [found, wanted] = [file.map((line) => line.trim()), code.map((line) => line.trim())];
  const { first, end, pairs } = align(found, wanted);
  const alike = pairs.filter(([at, of]) => scoreOf(found[at] ?? '', wanted[of] ?? '') >= scores.similar);
  const same = alike.find(([at, of]) => found[at] === wanted[of]);
  if (same === undefined || alike.length < leastShare * wanted.filter(hasWord).length) return undefined;
  return { first, end, lines: indented(code, file, same) };
}

interface Alignment {
  readonly first: number;
  readonly end: number;
  /** Lines of the file with those of the code, in order. */
  readonly pairs: readonly (readonly [number, number])[];
}

/** Aligns all of the code with the part of the file that fits best (a fitting alignment). */
function align(file: readonly string[], code: readonly string[]): Alignment {
  const width = code.length + 1;
  // 0: together, 1: only in the file, 2: only in the code.
  const steps = new Uint8Array((file.length + 1) * width).fill(2, 1, width);
  let row = Int32Array.from({ length: width }, (_, of) => of * scores.gap);
  let best = { score: row[code.length] ?? 0, at: 0 };
  for (let at = 1; at <= file.length; at++) {
    const next = new Int32Array(width);
    for (let of = 1; of < width; of++) {
      const together = (row[of - 1] ?? 0) + scoreOf(file[at - 1] ?? '', code[of - 1] ?? '');
      const [inFile, inCode] = [(row[of] ?? 0) + scores.gap, (next[of - 1] ?? 0) + scores.gap];
      const score = Math.max(together, inFile, inCode);
      next[of] = score;
      steps[at * width + of] = score === together ? 0 : score === inFile ? 1 : 2;
    }
    row = next;
    const score = row[code.length] ?? 0;
    if (score > best.score) best = { score, at };
  }
  const pairs: [number, number][] = [];
  let [at, of] = [best.at, code.length];
  while (of > 0) {
    const step = steps[at * width + of];
    if (step === 0) pairs.push([at - 1, of - 1]);
    if (step !== 2) at--;
    if (step !== 1) of--;
  }
  return { first: at, end: best.at, pairs: pairs.reverse() };
}

function scoreOf(line: string, other: string): number {
  if (line === other) return hasWord(line) ? scores.same : scores.sameSign;
  if (line === '' || other === '') return scores.empty;
  return isSimilar(line, other) ? scores.similar : scores.different;
}

function hasWord(line: string | undefined): boolean {
  return line !== undefined && /\w{2}|[^\x00-\x7f]/.test(line);
}

/** Whether at least half of the longer line is at both beginnings and ends. */
function isSimilar(line: string, other: string): boolean {
  const [short, long] = [Math.min(line.length, other.length), Math.max(line.length, other.length)];
  if (2 * short < long) return false;
  let before = 0;
  while (before < short && line.charCodeAt(before) === other.charCodeAt(before)) before++;
  let after = 0;
  while (after < short - before && line.charCodeAt(line.length - after - 1) === other.charCodeAt(other.length - after - 1)) after++;
  return 2 * (before + after) >= long;
}

/** Answers often have code without the indentation of its place. */
function indented(code: readonly string[], file: readonly string[], [at, of]: Alignment['pairs'][number]): readonly string[] {
  const [there, here] = [indentOf(file[at] ?? ''), indentOf(code[of] ?? '')];
  const missing = there.endsWith(here) ? there.slice(0, there.length - here.length) : '';
  return code.map((line) => (line.trim() === '' ? line : missing + line));
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/**
 * Inserts the code at the cursor, or replaces the selection, and shows the file. A single undo reverts it.
 * @throws HostError `usage` as EditorInUse.find, and if the file can't be edited
 */
export async function insertCode(text: string, inUse: Pick<EditorInUse, 'find'>): Promise<void> {
  const place = await inUse.find();
  await replace(place, place.selection, text);
}

/**
 * Replaces the selection, or else the lines that the code is a new version of. A single undo reverts it.
 * @throws HostError `usage` as EditorInUse.find, if the file has no such lines, and if it can't be edited
 */
export async function applyCode(text: string, inUse: Pick<EditorInUse, 'find'>): Promise<void> {
  const place = await inUse.find();
  if (!place.selection.isEmpty) return replace(place, place.selection, text);
  const match = matchIn(place, text);
  if (match === undefined)
    throw new HostError('usage', { detail: `${nameOf(place)} has no lines like these. Select what they replace, or insert them` });
  const { document } = place;
  await replace(place, document.validateRange(new vscode.Range(match.first, 0, match.end - 1, Infinity)), match.lines.join('\n'));
}

/**
 * Compares the code with the selection, or with the file in which it replaces the lines that it is a new version of, or with the whole file.
 * @throws HostError `usage` as EditorInUse.find
 */
export async function compareCode(text: string, inUse: Pick<EditorInUse, 'find'>, documents: Documents): Promise<void> {
  const place = await inUse.find();
  const { document, selection } = place;
  const match = selection.isEmpty ? matchIn(place, text) : undefined;
  const before = document.getText(selection.isEmpty ? undefined : selection);
  const lines = linesOf(before);
  const code = match === undefined ? text : lines.toSpliced(match.first, match.end - match.first, ...match.lines).join('\n');
  // A file usually ends with a line break, and the code of a block never does.
  const after = before.endsWith('\n') && !code.endsWith('\n') ? `${code}\n` : code;
  await documents.openDiff(document.fileName, before, after);
}

function matchIn({ document }: PlaceInUse, text: string): ReturnType<typeof matchingLines> {
  return matchingLines(linesOf(document.getText()), linesOf(text.replace(/^(?:[ \t]*\n)+|\s+$/g, '')));
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\n/);
}

async function replace(place: PlaceInUse, range: vscode.Range, text: string): Promise<void> {
  const { document, viewColumn } = place;
  const editor = await vscode.window.showTextDocument(document, { selection: range, ...(viewColumn === undefined ? {} : { viewColumn }) });
  const isDone = await editor.edit((edit) => edit.replace(range, text));
  if (!isDone) throw new HostError('usage', { detail: `${nameOf(place)} can't be edited` });
}

function nameOf({ document }: PlaceInUse): string {
  return basename(document.fileName);
}
