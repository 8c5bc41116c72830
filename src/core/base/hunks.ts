/** Finds the places where versions of a text differ, and takes back one of them. Pure. */
import { diffTexts } from './lineDiff.js';

/** Lines that replace others, between two lines that are in both versions. A line ending at the end of a text is an empty line more. */
export interface Hunk {
  /** 0-based: the first of the lines in the text as it is now; if there are none, the line above which the earlier ones were. */
  readonly line: number;
  /** The same in the earlier text. */
  readonly earlierLine: number;
  /** Without line endings. */
  readonly earlier: readonly string[];
  readonly now: readonly string[];
}

/** A part of a change, in a text that may have been changed again. */
export interface ChangeHunk extends Hunk {
  /** Its lines were changed again, so that taking it back would lose that. */
  readonly isMixed: boolean;
}

/** The same change: what it was before, what it was after it, and what it is now. */
export interface ChangedText {
  readonly earlier: string;
  readonly after: string;
  readonly now: string;
}

/**
 * Returns what is left of a change, from top to bottom, without what was changed elsewhere since. A difference in the kind of line endings
 * does not count.
 */
export function hunksOfChange({ earlier, after, now }: ChangedText): readonly ChangeHunk[] {
  const [earlierLines, afterLines, nowLines] = [linesOf(earlier), linesOf(after), linesOf(now)];
  const found: ChangeHunk[] = [];
  /** By how many lines the texts are longer, up to a place. */
  let [change, later] = [0, 0];
  for (const { start, end, hunks, again } of touching(hunksBetween(earlierLines, afterLines), hunksBetween(afterLines, nowLines))) {
    const [earlierStart, nowStart] = [start - change, start + later];
    change += growthOf(hunks);
    later += growthOf(again);
    if (again.length === 0) for (const hunk of hunks) found.push({ ...hunk, line: hunk.line + nowStart - start, isMixed: false });
    else if (hunks.length > 0) {
      const own = new Set(hunks.flatMap((hunk) => hunk.now));
      const mixed = hunksBetween(earlierLines.slice(earlierStart, end - change), nowLines.slice(nowStart, end + later));
      for (const hunk of mixed)
        if (hunk.earlier.length > 0 || hunk.now.some((line) => own.has(line)))
          found.push({ ...hunk, line: hunk.line + nowStart, earlierLine: hunk.earlierLine + earlierStart, isMixed: true });
    }
  }
  // The same lines may have come back at another place among equal ones: then there is no difference any more.
  const different = hunksBetween(earlierLines, nowLines);
  const left = different.values();
  let next = left.next().value;
  return found.filter(({ line, now: lines }) => {
    // Both are in the order of their lines.
    while (next !== undefined && next.line + next.now.length < line) next = left.next().value;
    return next !== undefined && next.line <= line + lines.length;
  });
}

/**
 * Returns the text with the earlier lines in the place of those of the hunk.
 * @param ending the line ending of the result
 */
export function undoHunk(now: string, hunk: Hunk, ending: '\n' | '\r\n'): string {
  const lines = linesOf(now);
  return [...lines.slice(0, hunk.line), ...hunk.earlier, ...lines.slice(hunk.line + hunk.now.length)].join(ending);
}

/** Lines of the text between both changes that at least one of them is about. */
interface Touched {
  readonly start: number;
  /** Exclusive. */
  end: number;
  /** Those of the first change, and those of the second one. */
  readonly hunks: Hunk[];
  readonly again: Hunk[];
}

/** Puts hunks together that are about the same lines. Those that are only next to each other are not. */
function touching(change: readonly Hunk[], later: readonly Hunk[]): readonly Touched[] {
  const all: readonly Touched[] = [
    ...change.map((hunk) => ({ start: hunk.line, end: hunk.line + hunk.now.length, hunks: [hunk], again: [] })),
    ...later.map((hunk) => ({ start: hunk.earlierLine, end: hunk.earlierLine + hunk.earlier.length, hunks: [], again: [hunk] })),
  ];
  const touched: Touched[] = [];
  // What is between two lines comes before what begins with the second one.
  for (const one of all.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const last = touched.at(-1);
    const isSamePlace = last?.start === one.end;
    if (last === undefined || (one.start >= last.end && !isSamePlace)) touched.push(one);
    else {
      last.end = Math.max(last.end, one.end);
      // Each of `all` is a single hunk.
      last.hunks.push(...one.hunks);
      last.again.push(...one.again);
    }
  }
  return touched;
}

function growthOf(hunks: readonly Hunk[]): number {
  return hunks.reduce((sum, { earlier, now }) => sum + now.length - earlier.length, 0);
}

function hunksBetween(earlier: readonly string[], now: readonly string[]): readonly Hunk[] {
  // With an ending after each line, all lines count, also an empty last one.
  const ended = (all: readonly string[]): string => all.map((one) => `${one}\n`).join('');
  const { lines } = diffTexts(ended(earlier), ended(now));
  const hunks: { line: number; earlierLine: number; earlier: string[]; now: string[] }[] = [];
  let [line, earlierLine, isOpen] = [0, 0, false];
  for (const { sign, text } of lines) {
    let hunk = hunks.at(-1);
    if (sign !== ' ' && (hunk === undefined || !isOpen)) hunks.push((hunk = { line, earlierLine, earlier: [], now: [] }));
    isOpen = sign !== ' ';
    if (sign === '-') hunk?.earlier.push(text);
    if (sign === '+') hunk?.now.push(text);
    if (sign !== '-') line++;
    if (sign !== '+') earlierLine++;
  }
  return hunks;
}

/** As an editor counts them: without the endings, and never none. */
function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\r|\n/);
}
