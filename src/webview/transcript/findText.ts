/** Finds text in the rendered conversation, and marks it without changing its nodes. */
import { restOfOutput, visibilityOf } from './collapsed.js';

const foundName = 'found';
const currentName = 'found-current';
/** The limit up to which matches are counted. */
export const mostMatches = 2_000;
/** A match never spans two of these elements. */
const blocks = 'p, li, pre, td, th, h1, h2, h3, h4, h5, h6, summary, article, div';

/** A match in the page. If its text is not in the page, the element that must be expanded for it. */
export type Match = Range | Element;

/** Replaces all earlier marks. */
export function markMatches(matches: readonly Match[], current: Range | undefined): void {
  mark(
    foundName,
    matches.filter((match) => match instanceof Range),
  );
  mark(currentName, current === undefined ? [] : [current]);
}

function mark(name: string, ranges: readonly Range[]): void {
  if (ranges.length === 0) CSS.highlights.delete(name);
  else CSS.highlights.set(name, new Highlight(...ranges));
}

/** The position of its first character in the whole text. */
interface Positioned {
  readonly at: number;
}
interface Piece extends Positioned {
  readonly node: Text;
}
interface UndrawnPart extends Positioned {
  readonly element: Element;
}
interface PageText {
  readonly text: string;
  readonly pieces: readonly Piece[];
  readonly undrawn: readonly UndrawnPart[];
}

/**
 * @param words in lower case
 * @param countIn returns the number of matches in a part whose text is not in the page
 */
export function matchesIn(content: HTMLElement, words: string, countIn: (part: Element) => number): readonly Match[] {
  const { text, pieces, undrawn } = textOf(content);
  const matches: Match[] = [];
  let part = 0;
  const addUndrawn = (before: number): void => {
    for (let next = undrawn[part]; next !== undefined && next.at <= before; next = undrawn[++part])
      for (let count = countIn(next.element); count > 0; count--) matches.push(next.element);
  };
  for (let at = text.indexOf(words); at !== -1 && matches.length < mostMatches; at = text.indexOf(words, at + words.length)) {
    addUndrawn(at);
    const [start, end] = [pointAt(pieces, at), pointAt(pieces, at + words.length - 1)];
    if (start === undefined || end === undefined) continue;
    const range = new Range();
    range.setStart(start.node, start.offset);
    range.setEnd(end.node, end.offset + 1);
    matches.push(range);
  }
  addUndrawn(text.length);
  return matches;
}

/** Returns the text in lower case. Only the visibility of a tool call's status depends on the width of the view. */
function textOf(content: HTMLElement): PageText {
  const pieces: Piece[] = [];
  const undrawn: UndrawnPart[] = [];
  let text = '';
  let block: Element | null | undefined;
  const enter = (element: Element): boolean => {
    const visibility = visibilityOf(element);
    const part = visibility === 'undrawn' ? element : restOfOutput(element);
    if (part !== undefined) undrawn.push({ element: part, at: text.length });
    return visibility === 'visible' || visibility === 'collapsed';
  };
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof Element && !enter(node) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
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
  return { text, pieces, undrawn };
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
