/** Finds words in what is drawn of a conversation, and marks them without touching its nodes. */

const foundName = 'found';
const currentName = 'found-current';
/** More are not counted. */
const mostMatches = 2_000;
/** Words do not go on from one of these to the next. */
const blocks = 'p, li, pre, td, th, h1, h2, h3, h4, h5, h6, summary, article, div';

export interface TextFinder {
  /** Marks each place. @returns how many there are */
  find(words: string): number;
  /** Brings the next (1) or the one before (-1) into view. @returns which one, from 1 on; 0: there is none */
  go(step: 1 | -1): number;
  clear(): void;
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
      // The newest is what somebody who looks back is nearest to.
      current = current === -1 ? (step === 1 ? ranges.length - 1 : 0) : (current + step + ranges.length) % ranges.length;
      const range = ranges[current];
      mark(currentName, range === undefined ? [] : [range]);
      range?.startContainer.parentElement?.scrollIntoView({ block: 'center', inline: 'nearest' });
      return current + 1;
    },
    clear() {
      ranges = [];
      current = -1;
      mark(foundName, []);
      mark(currentName, []);
    },
  };
}

interface Piece {
  readonly node: Text;
  /** Of its first character in the whole text. */
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

/** In lower case, as long as it is on screen. */
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
    // Some letters grow in lower case; offsets have to hold.
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
