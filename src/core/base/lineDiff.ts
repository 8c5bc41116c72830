/** Compares two texts line by line with a limit on the work, so that even the largest change that an agent proposes appears at once. */
import { diffArrays, diffWordsWithSpace } from 'diff';

/** If more lines changed between two anchors, all of them count as removed and added. The work grows with the square of this number. */
const maxChangedLines = 600;
/** Texts with more lines are split at anchors before they are compared. */
const largeLines = 4_000;
/** In longer lines, changed parts are not marked. */
const maxPartChars = 1_000;
const maxChangedWords = 100;
/** If two lines have less in common, marking their changed parts would not help a reader. */
const minSharedPart = 0.4;

export interface DiffLine {
  /** `+` for a line that is only in the new text, `-` for one that is only in the old text. */
  readonly sign: '+' | '-' | ' ';
  /** Does not include the line ending. */
  readonly text: string;
  /** 1-based line number in the text that contains the line, or in the new text if both do. */
  readonly number: number;
  /** The line in the other text that has the same position in the change. */
  readonly counterpart?: string;
}

/** The difference of two texts by lines, in order; includes unchanged lines. */
export interface LineDiff {
  readonly lines: readonly DiffLine[];
  readonly added: number;
  readonly removed: number;
  /** A difference that the lines don't show: all line endings changed, or only that of the last line. */
  readonly endings?: 'all_changed' | 'last_changed';
}

export interface SkippedLines {
  readonly skipped: number;
}

/** A part of a line. */
export interface LinePart {
  readonly text: string;
  readonly changed: boolean;
}

type LineEndings = 'none' | 'lf' | 'crlf' | 'mixed';

/** Compares two texts line by line. Also reports a difference in the line endings. */
export function diffTexts(oldText: string, newText: string): LineDiff {
  const [oldEndings, newEndings] = [endingsOf(oldText), endingsOf(newText)];
  const isMixed = oldEndings === 'mixed' || newEndings === 'mixed';
  const lines = diffLists(linesOf(oldText, isMixed), linesOf(newText, isMixed));
  const [added, removed] = [countOf(lines, '+'), countOf(lines, '-')];
  const allChanged = !isMixed && oldEndings !== newEndings && oldEndings !== 'none' && newEndings !== 'none';
  // A snippet ends where its author cut it, so the last line ending only counts if nothing else changed.
  const lastChanged = added + removed === 0 && oldText !== newText;
  const endings = allChanged ? 'all_changed' : lastChanged ? 'last_changed' : undefined;
  return { lines, added, removed, ...(endings === undefined ? {} : { endings }) };
}

/**
 * Returns the number that a line of the new text has in the old one; undefined if only the new text has the line.
 * @param line 1-based
 */
export function lineBefore(oldText: string, newText: string, line: number): number | undefined {
  let oldLine = 0;
  for (const { sign, number } of diffTexts(oldText, newText).lines) {
    if (sign !== '+') oldLine++;
    if (sign !== '-' && number === line) return sign === ' ' ? oldLine : undefined;
  }
  return undefined;
}

/**
 * Returns the number of the first line of the texts. An agent may send a part of a file and name the line at which it is.
 * @param lines the number of lines in the change
 * @param namedLine 1-based; must lie inside a whole file
 */
export function snippetStart(lines: number, namedLine: number | undefined): number {
  return namedLine !== undefined && namedLine > lines ? namedLine : 1;
}

/** Leaves out the lines that are more than `context` lines away from any change. */
export function foldUnchanged(lines: readonly DiffLine[], context: number): readonly (DiffLine | SkippedLines)[] {
  const rows: (DiffLine | SkippedLines)[] = [];
  let shownUpTo = 0;
  const show = (from: number, to: number): void => {
    if (from > shownUpTo) rows.push({ skipped: from - shownUpTo });
    for (let at = Math.max(from, shownUpTo); at < to; at++) {
      const line = lines[at];
      if (line !== undefined) rows.push(line);
    }
    shownUpTo = Math.max(shownUpTo, to);
  };
  for (const [at, { sign }] of lines.entries()) if (sign !== ' ') show(at - context, Math.min(lines.length, at + context + 1));
  show(lines.length, lines.length);
  return rows;
}

/** Splits a line into changed and unchanged parts if it replaces a similar one; otherwise it is one part. */
export function partsOf({ text, counterpart, sign }: DiffLine): readonly LinePart[] {
  const whole = [{ text, changed: false }];
  if (counterpart === undefined || text.length > maxPartChars || counterpart.length > maxPartChars) return whole;
  const [before, after] = sign === '-' ? [text, counterpart] : [counterpart, text];
  const changes = diffWordsWithSpace(before, after, { maxEditLength: maxChangedWords }) ?? [];
  const shared = changes.reduce((sum, { added, removed, value }) => (added || removed ? sum : sum + value.trim().length), 0);
  if (shared < minSharedPart * Math.max(before.trim().length, after.trim().length)) return whole;
  return changes
    .filter(({ added, removed }) => !(sign === '-' ? added : removed))
    .map(({ value, added, removed }) => ({ text: value, changed: added || removed }));
}

function diffLists(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let same = 0;
  while (same < before.length - start && same < after.length - start && before.at(-1 - same) === after.at(-1 - same)) same++;
  const lines: DiffLine[] = [];
  let [oldAt, newAt] = [0, 0];
  const keep = (count: number): void => {
    for (let index = 0; index < count; index++) lines.push({ sign: ' ', text: after[newAt + index] ?? '', number: newAt + index + 1 });
    oldAt += count;
    newAt += count;
  };
  const replace = (removed: number, added: number): void => {
    for (let index = 0; index < removed; index++) {
      lines.push({ sign: '-', text: before[oldAt + index] ?? '', number: oldAt + index + 1, ...counterpart(after, newAt, index, added) });
    }
    for (let index = 0; index < added; index++) {
      lines.push({ sign: '+', text: after[newAt + index] ?? '', number: newAt + index + 1, ...counterpart(before, oldAt, index, removed) });
    }
    oldAt += removed;
    newAt += added;
  };
  keep(start);
  for (const { kept, removed, added } of changesBetween(
    before.slice(start, before.length - same),
    after.slice(start, after.length - same),
  )) {
    replace(removed, added);
    keep(kept);
  }
  keep(same);
  return lines;
}

function counterpart(lines: readonly string[], start: number, index: number, count: number): { readonly counterpart?: string } {
  const line = index < count ? lines[start + index] : undefined;
  return line === undefined ? {} : { counterpart: line };
}

/** Numbers of lines: `removed` lines are replaced by `added` lines, and then `kept` lines are unchanged. */
interface Step {
  readonly removed: number;
  readonly added: number;
  readonly kept: number;
}

function changesBetween(before: readonly string[], after: readonly string[]): readonly Step[] {
  const ids = new Map<string, number>();
  // Comparing numbers is faster than comparing texts.
  const toIds = (lines: readonly string[]): number[] =>
    lines.map((line) => {
      const id = ids.get(line) ?? ids.size;
      ids.set(line, id);
      return id;
    });
  const [oldIds, newIds] = [toIds(before), toIds(after)];
  const isLarge = oldIds.length + newIds.length > largeLines;
  return (isLarge ? undefined : limitedSteps(oldIds, newIds)) ?? stepsByAnchors(oldIds, newIds);
}

/** @returns undefined if the change exceeds the limit */
function limitedSteps(before: number[], after: number[]): readonly Step[] | undefined {
  const changes = diffArrays(before, after, { maxEditLength: maxChangedLines });
  if (changes === undefined) return undefined;
  const steps: Step[] = [];
  let [removed, added] = [0, 0];
  for (const change of changes) {
    if (change.removed) removed += change.count;
    else if (change.added) added += change.count;
    else {
      steps.push({ removed, added, kept: change.count });
      [removed, added] = [0, 0];
    }
  }
  return [...steps, { removed, added, kept: 0 }];
}

/** Splits a large change into small ones at lines that occur once in each text and in the same order. */
function stepsByAnchors(before: readonly number[], after: readonly number[]): readonly Step[] {
  const steps: Step[] = [];
  let [oldAt, newAt, kept] = [0, 0, 0];
  const between = (oldEnd: number, newEnd: number): void => {
    if (kept > 0) steps.push({ removed: 0, added: 0, kept });
    kept = 0;
    const [removed, added] = [oldEnd - oldAt, newEnd - newAt];
    const replaced = [{ removed, added, kept: 0 }];
    // One line in the place of another: a large change has thousands of these.
    const isPlain = removed === 0 || added === 0 || (removed === 1 && added === 1 && before[oldAt] !== after[newAt]);
    if (isPlain) steps.push(...replaced);
    else steps.push(...(limitedSteps(before.slice(oldAt, oldEnd), after.slice(newAt, newEnd)) ?? replaced));
  };
  const anchors = anchorsBetween(before, after);
  for (const [oldLine, newLine] of anchors) {
    if (oldLine !== oldAt || newLine !== newAt) between(oldLine, newLine);
    kept++;
    [oldAt, newAt] = [oldLine + 1, newLine + 1];
  }
  between(before.length, after.length);
  return steps;
}

/** Pairs of positions that increase on both sides: the longest such list of lines that are unique in both texts. */
function anchorsBetween(before: readonly number[], after: readonly number[]): readonly (readonly [number, number])[] {
  const unique = (lines: readonly number[]): ReadonlyMap<number, number> => {
    const places = new Map<number, number>();
    for (const [at, id] of lines.entries()) places.set(id, places.has(id) ? -1 : at);
    return places;
  };
  const [oldPlaces, newPlaces] = [unique(before), unique(after)];
  interface Anchor {
    readonly pair: readonly [number, number];
    readonly previous: Anchor | undefined;
  }
  /** For each length, the list of that length that ends first. */
  const best: Anchor[] = [];
  for (const [id, oldAt] of oldPlaces) {
    const newAt = newPlaces.get(id) ?? -1;
    if (oldAt === -1 || newAt === -1) continue;
    let [low, high] = [0, best.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((best[middle]?.pair[1] ?? 0) < newAt) low = middle + 1;
      else high = middle;
    }
    best[low] = { pair: [oldAt, newAt], previous: best[low - 1] };
  }
  const anchors: (readonly [number, number])[] = [];
  for (let anchor = best.at(-1); anchor !== undefined; anchor = anchor.previous) anchors.push(anchor.pair);
  return anchors.reverse();
}

/** @param keepsEndings true if the line endings differ from line to line, so that `\r` belongs to the line */
function linesOf(text: string, keepsEndings: boolean): readonly string[] {
  const lines = text.split(keepsEndings ? '\n' : /\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function endingsOf(text: string): LineEndings {
  const all = text.split('\n').length - 1;
  const windows = text.split('\r\n').length - 1;
  return all === 0 ? 'none' : windows === 0 ? 'lf' : windows === all ? 'crlf' : 'mixed';
}

function countOf(lines: readonly DiffLine[], wanted: DiffLine['sign']): number {
  return lines.reduce((count, { sign }) => (sign === wanted ? count + 1 : count), 0);
}
