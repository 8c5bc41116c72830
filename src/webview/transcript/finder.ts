/**
 * Goes from match to match, also to those in items that are not drawn yet. These are drawn in slices, so that the page stays responsive,
 * and without a press of the user only as many as scrolling would draw.
 */
import { markMatches, rangesOf } from './findText.js';
import type { Transcript } from './transcript.js';
import { matchesIn } from './undrawnText.js';

const itemsPerSlice = 100;

/** `at` is the 1-based number of the current match; undefined if there is none, such as after its item was removed. */
export interface Found {
  readonly at: number | undefined;
  readonly of: number;
}

export interface Finder {
  /** Marks each match, and goes to the newest, which is the nearest for a user who looks back. An empty text removes the marks. */
  find(text: string): Promise<void>;
  /** Goes to the next newer (1) or older (-1) match. */
  go(step: 1 | -1): Promise<void>;
  /** Searches again without moving the user. */
  refresh(): void;
}

/** Where the current match begins. If its node was replaced, it is recognized by its number and the text of the node. */
interface Spot {
  readonly node: Node;
  readonly text: string | null;
  readonly offset: number;
  readonly at: number;
}

export function createFinder(transcript: Transcript, show: (found: Found) => void): Finder {
  let words = '';
  /** The matches in the page, oldest first. */
  let ranges: readonly Range[] = [];
  /** The position of the item of each match that is older than everything drawn. */
  let earlier: readonly number[] = [];
  let current: Spot | undefined;
  /** A later search or step ends the drawing for an earlier one. */
  let latest = 0;

  const scan = (): void => {
    ranges = words === '' ? [] : rangesOf(transcript.content, words);
    earlier = words === '' ? [] : matchesIn(transcript.undrawn, words);
    select(currentIndex());
  };
  /** Returns -1 if there is no current match. */
  const currentIndex = (): number => {
    if (current === undefined) return -1;
    const { node, text, offset, at } = current;
    const same = ranges.findIndex(({ startContainer, startOffset }) => startContainer === node && startOffset === offset);
    if (same !== -1) return same;
    const range = ranges[at - 1 - earlier.length];
    return range?.startContainer.textContent === text && range.startOffset === offset ? ranges.indexOf(range) : -1;
  };
  const select = (index: number): void => {
    const range = ranges[index];
    const at = earlier.length + index + 1;
    current =
      range === undefined
        ? undefined
        : { node: range.startContainer, text: range.startContainer.textContent, offset: range.startOffset, at };
    markMatches(ranges, range);
    show({ at: current?.at, of: earlier.length + ranges.length });
  };
  const goTo = (index: number): void => {
    select(index);
    ranges[index]?.startContainer.parentElement?.scrollIntoView({ block: 'center', inline: 'nearest' });
  };
  /** @returns false if the user went elsewhere in the meantime */
  const drawFrom = async (item: number, step: number): Promise<boolean> => {
    while (transcript.undrawn.length > item) {
      transcript.drawEarlier(Math.min(itemsPerSlice, transcript.undrawn.length - item));
      await new Promise((resolve) => setTimeout(resolve));
      if (step !== latest) return false;
    }
    scan();
    return true;
  };
  const mayDraw = (item: number): boolean => transcript.undrawn.length - item <= transcript.room;

  /** @param isPressed false while the user types */
  const goOlder = async (isPressed: boolean): Promise<void> => {
    const step = ++latest;
    scan();
    for (;;) {
      const index = current === undefined ? ranges.length : currentIndex();
      if (index > 0) return goTo(index - 1);
      const next = earlier.at(-1);
      if (next === undefined || !(isPressed || mayDraw(next))) break;
      if (!(await drawFrom(next, step))) return;
    }
    goTo(ranges.length - 1);
  };
  const goNewer = async (): Promise<void> => {
    const step = ++latest;
    scan();
    const index = current === undefined ? ranges.length - 2 : currentIndex();
    if (index + 1 < ranges.length) return goTo(index + 1);
    const oldest = earlier.find(mayDraw);
    if (oldest === undefined || (await drawFrom(oldest, step))) goTo(0);
  };

  return {
    find(text) {
      words = text.toLowerCase();
      current = undefined;
      return goOlder(false);
    },
    go: (step) => (step === 1 ? goNewer() : goOlder(true)),
    refresh: scan,
  };
}
