/** Finds text in the rendered conversation, and marks it without changing its nodes. */

const foundName = 'found';
const currentName = 'found-current';
/** The limit up to which matches are counted. */
export const mostMatches = 2_000;
/** A match never spans two of these elements. */
const blocks = 'p, li, pre, td, th, h1, h2, h3, h4, h5, h6, summary, article, div';

/** Replaces all earlier marks. */
export function markMatches(ranges: readonly Range[], current: Range | undefined): void {
  mark(foundName, ranges);
  mark(currentName, current === undefined ? [] : [current]);
}

function mark(name: string, ranges: readonly Range[]): void {
  if (ranges.length === 0) CSS.highlights.delete(name);
  else CSS.highlights.set(name, new Highlight(...ranges));
}

interface Piece {
  readonly node: Text;
  /** The position of its first character in the whole text. */
  readonly at: number;
}

/** @param words in lower case */
export function rangesOf(content: HTMLElement, words: string): readonly Range[] {
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

/**
 * Returns the text in lower case, without that in collapsed parts. Their elements say that they are collapsed: computing the style of every
 * element in a long conversation takes seconds. Only the status of a tool call depends on the width of the view.
 */
function textOf(content: HTMLElement): { readonly text: string; readonly pieces: readonly Piece[] } {
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof Element && isCollapsed(node) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  const pieces: Piece[] = [];
  let text = '';
  let block: Element | null | undefined;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!(node instanceof Text) || (parent?.className === 'tool-status-text' && !parent.checkVisibility())) continue;
    const own = parent?.closest(blocks);
    if (own !== block) text += '\n';
    block = own;
    const lower = node.data.toLowerCase();
    // Some letters become longer in lower case, but offsets must stay valid.
    pieces.push({ node, at: text.length });
    text += lower.length === node.data.length ? lower : node.data;
  }
  return { text, pieces };
}

function isCollapsed(element: Element): boolean {
  const parent = element.parentElement;
  return element.hasAttribute('hidden') || (parent instanceof HTMLDetailsElement && !parent.open && element.tagName !== 'SUMMARY');
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
