/**
 * Finds where a change that an agent proposes is in its file. Agents send a part of a file and its replacement without saying where, and
 * replace the only place with that text: exactly, or else whatever the line endings. Pure.
 */

/** Texts for a comparison that begin at a line of the file, with the lines around the change. */
export interface PlacedHunk {
  readonly oldText: string;
  readonly newText: string;
  /** 1-based; undefined: nobody knows the line. */
  readonly firstLine: number | undefined;
}

/** What becomes of the whole file. */
interface Outcome {
  readonly before: string;
  readonly after: string;
}

export type ChangeFit =
  /** A part of the file, in one place. `repeats`: around that place, the file already has the new text. */
  | (Outcome & { readonly type: 'part'; readonly hunk: PlacedHunk; readonly repeats: boolean })
  /** `new`: there was no such file, or an empty one. `replaces`: the agent says nothing about the text that the file has. */
  | (Outcome & { readonly type: 'whole' | 'new' | 'replaces' })
  /** In all of several places, as `several` has them. `hunk` is the first one. */
  | (Outcome & { readonly type: 'everywhere'; readonly hunk: PlacedHunk; readonly count: number; readonly lines: readonly number[] })
  /** `lines` are the first lines of some of the places, 1-based. */
  | { readonly type: 'several'; readonly count: number; readonly lines: readonly number[] }
  /** `applied`: the old text is gone, and the new text is there. */
  | { readonly type: 'applied' | 'mismatch' | 'no_file' };

/** What an agent does with a text: `append` puts one that replaces nothing at the end of the file, `everywhere` replaces it in all places. */
export type ChangeWay = 'once' | 'append' | 'everywhere';

export interface ProposedText {
  /** Absent or empty: the agent does not say what it replaces. */
  readonly oldText?: string | null | undefined;
  readonly newText: string;
}

/** The number of unchanged lines around a change. */
const contextLines = 3;
/** The number of places that are listed. */
const mostLines = 3;
const mark = '\uFEFF';

/** @param file null: there is no such file */
export function fitOf(file: string | null, { oldText, newText }: ProposedText, way: ChangeWay = 'once'): ChangeFit {
  const old = oldText ?? '';
  if (file === null) return old === '' ? { type: 'new', before: '', after: newText } : { type: 'no_file' };
  // What a byte order mark precedes is the text of the file, also for an agent that leaves it out.
  const hasMark = file.startsWith(mark) && !old.startsWith(mark) && !newText.startsWith(mark);
  const fit = fitInText(hasMark ? file.slice(1) : file, old, newText, way);
  return hasMark && 'after' in fit ? { ...fit, before: mark + fit.before, after: mark + fit.after } : fit;
}

function fitInText(file: string, old: string, newText: string, way: ChangeWay): ChangeFit {
  if (old === '') {
    if (way === 'append' && file !== '') return partAt(file, [file.length, file.length], newText, false);
    if (file === newText && file !== '') return { type: 'applied' };
    return { type: file === '' ? 'new' : 'replaces', before: file, after: newText };
  }
  if (file === old) return { type: 'whole', before: file, after: newText };
  const found = placesOf(file, old);
  // The second half of a line ending is none.
  const exact = old.startsWith('\n') && found.count === 1 && file[found.first - 1] === '\r' ? { ...found, count: 0 } : found;
  const [plain, plainOld] = [withoutReturns(file), withoutReturns(old)];
  if (exact.count === 0 && plain === plainOld) return { type: 'whole', before: file, after: newText };
  const places = exact.count > 0 ? exact : placesOf(plain, plainOld);
  if (places.count > 1) {
    const { count, lines } = places;
    const found =
      way === 'everywhere' && [old, plainOld.replaceAll('\n', '\r\n'), plainOld].find((one) => placesOf(file, one).count === count);
    return found ? everywhereIn(file, found, newText, { count, lines }) : { type: 'several', count, lines };
  }
  if (places.count === 1) {
    const [start, end] =
      exact.count > 0
        ? [places.first, places.first + old.length]
        : [indexWithReturns(file, places.first), indexWithReturns(file, places.first + plainOld.length)];
    const inserted = inEndingsOf(file, file.slice(start, end), newText);
    return partAt(file, [start, end], inserted, repeatsAt(file, start, file.slice(start, end), inserted));
  }
  const isThere = newText.trim() !== '' && plain.includes(withoutReturns(newText));
  return { type: isThere ? 'applied' : 'mismatch' };
}

interface Places {
  readonly count: number;
  /** An index. */
  readonly first: number;
  readonly lines: readonly number[];
}

/** Counts without overlaps, as agents do. */
function placesOf(text: string, part: string): Places {
  let [count, first, line, from] = [0, -1, 1, 0];
  const lines: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) {
    if (count === 0) first = at;
    if (count < mostLines) lines.push((line += countOf(text, '\n', from, at)));
    from = at;
    count++;
  }
  return { count, first, lines };
}

function everywhereIn(before: string, old: string, newText: string, places: Pick<Places, 'count' | 'lines'>): ChangeFit {
  const [inserted, first] = [inEndingsOf(before, old, newText), before.indexOf(old)];
  const end = first + old.length;
  const hunk = hunkAt(before, before.slice(0, first) + inserted + before.slice(end), [first, end], first + inserted.length);
  return { type: 'everywhere', before, after: before.split(old).join(inserted), hunk, ...places };
}

function partAt(before: string, [start, end]: readonly [number, number], newText: string, repeats: boolean): ChangeFit {
  const after = before.slice(0, start) + newText + before.slice(end);
  return { type: 'part', before, after, hunk: hunkAt(before, after, [start, end], start + newText.length), repeats };
}

/**
 * @param end where the replaced part ends in the text before
 * @param newEnd where its replacement ends in the text after
 */
function hunkAt(before: string, after: string, [start, end]: readonly [number, number], newEnd: number): PlacedHunk {
  const most = Math.min(end, newEnd);
  let changeStart = start;
  while (changeStart < most && before[changeStart] === after[changeStart]) changeStart++;
  let same = 0;
  while (most - same > changeStart && before[end - same - 1] === after[newEnd - same - 1]) same++;
  const changeEnd = end - same;
  let from = lineStart(before, changeStart);
  for (let lines = 0; lines < contextLines && from > 0; lines++) from = lineStart(before, from - 1);
  const endsLine = isLineStart(before, changeEnd) && isLineStart(after, newEnd - same);
  let to = endsLine ? changeEnd : lineEnd(before, changeEnd);
  for (let lines = 0; lines < contextLines && to < before.length; lines++) to = lineEnd(before, to);
  return {
    oldText: before.slice(from, to),
    // What follows the change is the same in both texts.
    newText: after.slice(from, to + after.length - before.length),
    firstLine: countOf(before, '\n', 0, from) + 1,
  };
}

/** Whether the file has the new text where the old text, which is a part of it, is. */
function repeatsAt(file: string, at: number, old: string, newText: string): boolean {
  const offset = newText.indexOf(old);
  return newText !== old && offset !== -1 && file.startsWith(newText, Math.max(0, at - offset)) && at >= offset;
}

/** A file whose lines all end with CRLF keeps these endings, because agents that read it with others write it back as it was. */
function inEndingsOf(file: string, old: string, newText: string): string {
  if (newText.includes('\r\n')) return newText;
  const endings = countOf(file, '\n', 0, file.length);
  const isWindows = old.includes('\r\n') || (endings > 0 && placesOf(file, '\r\n').count === endings);
  return isWindows ? newText.replaceAll('\n', '\r\n') : newText;
}

function withoutReturns(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** @param index in the text without the returns @returns the index of the same character in the text */
function indexWithReturns(text: string, index: number): number {
  let returns = 0;
  for (let at = text.indexOf('\r\n'); at !== -1 && at - returns < index; at = text.indexOf('\r\n', at + 2)) returns++;
  return index + returns;
}

function lineStart(text: string, index: number): number {
  return index === 0 ? 0 : text.lastIndexOf('\n', index - 1) + 1;
}

function isLineStart(text: string, index: number): boolean {
  return index === 0 || text[index - 1] === '\n';
}

/** @returns the index after the line break */
function lineEnd(text: string, index: number): number {
  const at = text.indexOf('\n', index);
  return at === -1 ? text.length : at + 1;
}

function countOf(text: string, character: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf(character, from); at !== -1 && at < to; at = text.indexOf(character, at + 1)) count++;
  return count;
}
