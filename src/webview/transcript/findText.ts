/** Finds text in the rendered conversation, and marks it without changing its nodes. */

const foundName = 'found';
const currentName = 'found-current';
/** The limit up to which matches are counted. */
const mostMatches = 2_000;
/** A match never spans two of these elements. */
const blocks = 'p, li, pre, td, th, h1, h2, h3, h4, h5, h6, summary, article, div';

export interface TextFinder {
  /**
   * Marks each match.
   * @returns the number of matches
   */
  find(words: string): number;
  /**
   * Scrolls to the next (1) or the previous (-1) match.
   * @returns its 1-based number; 0 if there is none
   */
  go(step: 1 | -1): number;
}

export function createTextFinder(content: HTMLElement): TextFinder {
  let ranges: readonly Range[] = [];
  let current = -1;
  const mark = (name: string, marked: readonly Range[]): void => {
    if (marked.length === 0) CSS.highlights.delete(name);
    else CSS.highlights.set(name, new Highlight(...marked));
  };
  return {
    find(words) {
      ranges = words === '' ? [] : rangesOf(content, words.toLowerCase());
      current = -1;
      mark(foundName, ranges);
      mark(currentName, []);
      return ranges.length;
    },
    go(step) {
      if (ranges.length === 0) return 0;
      // Starts with the newest match, which is the nearest for a user who looks back.
      current = current === -1 ? (step === 1 ? ranges.length - 1 : 0) : (current + step + ranges.length) % ranges.length;
      const range = ranges[current];
      mark(currentName, range === undefined ? [] : [range]);
      range?.startContainer.parentElement?.scrollIntoView({ block: 'center', inline: 'nearest' });
      return current + 1;
    },
  };
}

interface Piece {
  readonly node: Text;
  /** The position of its first character in the whole text. */
  readonly at: number;
}

function rangesOf(content: HTMLElement, words: string): readonly Range[] {
  const { text, pieces } = textOf(content);
  const ranges: Range[] = [];
  for (let at = text.indexOf(words); at !== -1 && ranges.length < mostMatches; at = text.indexOf(words, at + words.length)) {
    const [start, end] = [pointAt(pieces, at), pointAt(pieces, at + words.length - 1)];
    if (start === undefined || end === undefined) continue;
    const range = new Range();
    range.setStart(start.node, start.offset);
    range.setEnd(end.node, end.offset + 1);
    ranges.push(range);
  }
  return ranges;
}

/** Returns the text in lower case. */
function textOf(content: HTMLElement): { readonly text: string; readonly pieces: readonly Piece[] } {
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
  const pieces: Piece[] = [];
  let text = '';
  let block: Element | null | undefined;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!(node instanceof Text) || parent?.checkVisibility() !== true) continue;
    const own = parent.closest(blocks);
    if (own !== block) text += '\n';
    block = own;
    const lower = node.data.toLowerCase();
    // Some letters become longer in lower case, but offsets must stay valid.
    pieces.push({ node, at: text.length });
    text += lower.length === node.data.length ? lower : node.data;
  }
  return { text, pieces };
}

function pointAt(pieces: readonly Piece[], at: number): { readonly node: Text; readonly offset: number } | undefined {
  let [low, high] = [0, pieces.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((pieces[middle]?.at ?? Infinity) <= at) low = middle;
    else high = middle - 1;
  }
  const piece = pieces[low];
  if (piece === undefined) return undefined;
  const offset = at - piece.at;
  return offset >= 0 && offset < piece.node.data.length ? { node: piece.node, offset } : undefined;
}
