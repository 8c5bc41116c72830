/** A lazily loaded chunk: the find bar without its text box. Searches while the user types; Enter continues. */
import type { iconButton } from '../base/dom.js';
import {
  collapsedMatches,
  earlierOutputMatches,
  expand,
  expandersOf,
  markMatches,
  type Match,
  matchesIn,
  undrawnMatches,
} from './findText.js';
import type { Transcript } from './transcript.js';

/** A conversation that changes is searched again after this pause, and not for each change. */
const refreshDelayMs = 200;

export interface FindParts {
  readonly bar: HTMLElement;
  readonly box: HTMLInputElement;
  readonly count: HTMLElement;
  readonly transcript: Transcript;
  readonly close: () => void;
  /** Passed in, because a module that the page script shares with this chunk would become a third file. */
  readonly button: typeof iconButton;
}

export interface Find {
  /** Searches for what is in the box, and removes the marks if it is empty. */
  search(): void;
}

/** Completes the bar, and searches for what is already in its box. */
export function startFind({ bar, box, count, transcript, close, button }: FindParts): Find {
  const finder = createFinder(transcript, ({ at, of }) => {
    const text = box.value === '' ? '' : of === 0 ? 'No results' : `${at ?? '?'} of ${of}`;
    // A status that is set again is announced again.
    if (count.textContent !== text) count.textContent = text;
  });
  const go = (step: 1 | -1): void => void finder.go(step);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const changes = new MutationObserver(() => {
    timer ??= setTimeout(() => {
      timer = undefined;
      finder.refresh();
    }, refreshDelayMs);
  });
  const search = (): void => {
    if (box.value === '') changes.disconnect();
    else changes.observe(transcript.content, { subtree: true, childList: true, characterData: true, attributeFilter: ['hidden', 'open'] });
    void finder.find(box.value);
  };
  bar.append(
    button('arrow-up', 'Previous match (Shift+Enter)', () => go(-1)),
    button('arrow-down', 'Next match (Enter)', () => go(1)),
    button('close', 'Close (Escape)', close),
  );
  box.addEventListener('input', search);
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
    go(event.shiftKey ? -1 : 1);
  });
  search();
  return { search };
}

// Goes from match to match, also to those in items that are not drawn yet, and in collapsed parts, which it expands. Items are drawn in
// slices, so that the page stays responsive, and without a press of the user only as many as scrolling would draw.

const itemsPerSlice = 100;

/** `at` is the 1-based number of the current match; undefined if there is none, such as after its item was removed. */
export interface Found {
  readonly at: number | undefined;
  readonly of: number;
}

export interface Finder {
  /**
   * Marks each match, and goes to the first one at or below the top edge of what the user sees, or if there is none, to the first of all.
   * A text that goes on where the current match is stays there. An empty text removes the marks.
   */
  find(text: string): Promise<void>;
  /** Goes to the next newer (1) or older (-1) match. */
  go(step: 1 | -1): Promise<void>;
  /** Searches again without moving the user. */
  refresh(): void;
}

/**
 * Where the current match begins. If its node was replaced, it is recognized by its number and the element of its item; if that was
 * replaced too, by the text of the node.
 */
interface Spot {
  readonly node: Node;
  readonly item: Element | null;
  readonly text: string | null;
  readonly offset: number;
  readonly at: number;
}

export function createFinder(transcript: Transcript, show: (found: Found) => void): Finder {
  let words = '';
  /** The matches in the page, oldest first. */
  let matches: readonly Match[] = [];
  /** The position of the item of each match that is older than everything drawn. */
  let earlier: readonly number[] = [];
  let current: Spot | undefined;
  /** A later search or step ends the drawing for an earlier one. */
  let latest = 0;

  const scan = (): void => {
    matches = words === '' ? [] : matchesIn(transcript.content, words, partCounter(transcript, words));
    earlier = words === '' ? [] : undrawnMatches(transcript.undrawn, words);
    select(currentIndex());
  };
  /** Returns -1 if there is no current match. */
  const currentIndex = (): number => {
    if (current === undefined) return -1;
    const { node, item, text, offset, at } = current;
    const same = matches.findIndex((match) => match instanceof Range && match.startContainer === node && match.startOffset === offset);
    if (same !== -1) return same;
    const index = at - 1 - earlier.length;
    const match = matches[index];
    if (!(match instanceof Range)) return -1;
    const isSame = match.startContainer.textContent === text && match.startOffset === offset;
    return isSame || itemOf(match) === item ? index : -1;
  };
  const select = (index: number): void => {
    const match = matches[index];
    const range = match instanceof Range ? match : undefined;
    const at = earlier.length + index + 1;
    current = range && spotOf(range, at);
    markMatches(matches, range);
    show({ at: current?.at, of: earlier.length + matches.length });
  };
  /** @returns false if something was expanded for the match, which therefore may have another position, or be none */
  const goTo = async (index: number, step: number): Promise<boolean> => {
    const match = matches[index];
    if (match === undefined) return true;
    const expanders = expandersOf(match instanceof Range ? match.startContainer : match);
    if (expanders.length > 0) {
      await expand(expanders);
      if (step !== latest) return true;
      scan();
      return false;
    }
    select(index);
    if (match instanceof Range) scrollTo(match);
    return true;
  };
  /** @returns false if the user went elsewhere in the meantime */
  const drawFrom = async (item: number, step: number): Promise<boolean> => {
    while (transcript.undrawnCount > item) {
      transcript.drawEarlier(Math.min(itemsPerSlice, transcript.undrawnCount - item));
      await new Promise((resolve) => setTimeout(resolve));
      if (step !== latest) return false;
    }
    scan();
    return true;
  };
  const mayDraw = (item: number): boolean => transcript.undrawnCount - item <= transcript.room;
  const goToFirst = async (step: number): Promise<void> => {
    while (!(await goTo(0, step)));
  };
  const goToLast = async (step: number): Promise<void> => {
    while (!(await goTo(matches.length - 1, step)));
  };

  const goOlder = async (): Promise<void> => {
    const step = ++latest;
    scan();
    for (;;) {
      const index = (current === undefined ? matches.length : currentIndex()) - 1;
      const item = earlier.at(-1);
      if (index >= 0) {
        if (await goTo(index, step)) return;
      } else if (item === undefined) return goToLast(step);
      else if (!(await drawFrom(item, step))) return;
    }
  };
  /** @param from where the match was that was current before the words changed */
  const goNewer = async (isPressed: boolean, from?: Spot): Promise<void> => {
    const step = ++latest;
    scan();
    // What is expanded on the way to a match changes only what comes after its start.
    const start = current === undefined ? startOfFind(matches, transcript.content, from) : 0;
    for (;;) {
      const index = current === undefined ? start : currentIndex() + 1;
      if (index >= matches.length) break;
      if (await goTo(index, step)) return;
    }
    const oldest = earlier.find(mayDraw) ?? (isPressed && matches.length === 0 ? earlier.at(-1) : undefined);
    if (oldest === undefined || (await drawFrom(oldest, step))) await goToFirst(step);
  };

  return {
    find(text) {
      words = text.toLowerCase();
      const before = current;
      current = undefined;
      return goNewer(false, before);
    },
    go: (step) => (step === 1 ? goNewer(true) : goOlder()),
    refresh: scan,
  };
}

function spotOf(range: Range, at: number): Spot {
  const { startContainer: node, startOffset: offset } = range;
  return { node, item: itemOf(range), text: node.textContent, offset, at };
}

function itemOf({ startContainer }: Range): Element | null {
  return startContainer.parentElement?.closest('.item-group > *') ?? null;
}

function partCounter({ drawn }: Transcript, words: string): (part: Element) => number {
  const views = new Map(drawn.map(({ element, view }) => [element, view]));
  return (part) => {
    const item = part.closest<HTMLElement>('.item');
    const view = item === null ? undefined : views.get(item);
    if (view === undefined) return 0;
    const output = part instanceof HTMLButtonElement ? part.closest('.output-block')?.querySelector('.output') : null;
    return view.kind === 'tool' && output != null ? earlierOutputMatches(view, output.textContent, words) : collapsedMatches(view, words);
  };
}

/** Centers the match in the conversation, and in a box with its own scroll bar. The browser only scrolls to elements, which may be long. */
function scrollTo(match: Range): void {
  const parent = match.startContainer.parentElement;
  parent?.scrollIntoView({ block: 'center', inline: 'nearest' });
  for (let box = parent; box !== null; box = box.parentElement) {
    if (box.scrollHeight <= box.clientHeight) continue;
    const [place, view] = [match.getBoundingClientRect(), box.getBoundingClientRect()];
    box.scrollTop += (place.top + place.bottom - view.top - view.bottom) / 2;
  }
}

// Where finding starts: where the user is.

/** A place in the text. */
interface TextPlace {
  readonly node: Node;
  readonly offset: number;
}

/**
 * Returns the index of the first match at or after `from`, if the user sees that place, and otherwise of the first one that is not above
 * what the user sees; the number of matches if all are before that.
 * @param content the conversation, inside the box in which it scrolls
 */
function startOfFind(matches: readonly Match[], content: HTMLElement, from: TextPlace | undefined): number {
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
