/** Where finding starts: where the user is. */
import type { Match } from './findText.js';

/** A place in the text. */
export interface TextPlace {
  readonly node: Node;
  readonly offset: number;
}

/**
 * Returns the index of the first match at or after `from`, if the user sees that place, and otherwise of the first one that is not above
 * what the user sees; the number of matches if all are before that.
 * @param content the conversation, inside the box in which it scrolls
 */
export function startOfFind(matches: readonly Match[], content: HTMLElement, from: TextPlace | undefined): number {
  const view = (content.parentElement ?? content).getBoundingClientRect();
  const place = from && rangeAt(from);
  const box = place?.getBoundingClientRect();
  const isSeen = box !== undefined && box.height > 0 && box.bottom > view.top && box.top < view.bottom;
  const group = [...content.children].find((child) => child.getBoundingClientRect().bottom > view.top);
  if (group === undefined) return matches.length;
  const index = matches.findIndex((match) => (isSeen && place !== undefined ? !isBefore(match, place) : !isAbove(match, group, view.top)));
  return index === -1 ? matches.length : index;
}

function rangeAt({ node, offset }: TextPlace): Range | undefined {
  if (!node.isConnected || !(node instanceof Text) || offset >= node.data.length) return undefined;
  const range = new Range();
  range.setStart(node, offset);
  range.setEnd(node, offset + 1);
  return range;
}

function isBefore(match: Match, place: Range): boolean {
  if (match instanceof Range) return match.compareBoundaryPoints(Range.START_TO_START, place) < 0;
  return (match.compareDocumentPosition(place.startContainer) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

/** Only what is in the group at the edge is measured: measuring in a group that the browser skips would lay it out. */
function isAbove(match: Match, group: Element, edge: number): boolean {
  const node = match instanceof Range ? match.startContainer : match;
  if (!group.contains(node)) return (group.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
  return (boxOf(match)?.bottom ?? Infinity) <= edge;
}

/** A match in a collapsed part has the box of what it is in. */
function boxOf(match: Match): DOMRect | undefined {
  const box = match.getBoundingClientRect();
  if (box.height > 0) return box;
  let element = match instanceof Range ? match.startContainer.parentElement : match;
  for (; element !== null; element = element.parentElement) {
    const around = element.getBoundingClientRect();
    if (around.height > 0) return around;
  }
  return undefined;
}
