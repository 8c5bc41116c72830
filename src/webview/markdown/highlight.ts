/**
 * Colors for closed code blocks, through the CSS Custom Highlight API: ranges, no elements. The browser checks every registered
 * range in every frame, so only what is in sight is registered: with the blocks of a 20 KB answer registered for good, the frames of a
 * stream cost twice as much. The highlighter is a chunk of its own, loaded for the first block that comes into view. Without
 * the API, without the chunk or above the limit, code stays plain.
 */
import type { HighlightedRange } from './highlighter.js';

/** Above it the gain is not worth the pause. */
const limitCharacters = 20_000;

interface ColoredRange {
  readonly highlight: Highlight;
  readonly range: StaticRange;
}

let observer: IntersectionObserver | undefined;
/** Computed once per block; `shown` has those that are registered now. */
const computed = new WeakMap<Element, Promise<readonly ColoredRange[]>>();
const shown = new Map<Element, readonly ColoredRange[]>();

/** Call it once for a block that is complete. */
export function highlightWithin(block: Element): void {
  if (!('highlights' in CSS)) return;
  for (const code of block.querySelectorAll<HTMLElement>('code[data-language]')) {
    const length = code.textContent.length;
    if (code.dataset['language'] === '' || length === 0 || length > limitCharacters) continue;
    observer ??= new IntersectionObserver(onVisibility);
    observer.observe(code);
  }
}

/** Lets go of what is about to be removed from the page. */
export function forgetHighlights(removed: Element): void {
  for (const code of removed.querySelectorAll<HTMLElement>('code[data-language]')) {
    observer?.unobserve(code);
    hide(code);
  }
}

function onVisibility(entries: readonly IntersectionObserverEntry[]): void {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) hide(target);
    else if (target instanceof HTMLElement) void show(target);
  }
}

async function show(code: HTMLElement): Promise<void> {
  if (shown.has(code)) return;
  shown.set(code, []);
  const ranges = computed.get(code) ?? computeRanges(code);
  computed.set(code, ranges);
  const ready = await ranges;
  // It may have left the view meanwhile.
  if (!shown.has(code)) return;
  shown.set(code, ready);
  for (const { highlight, range } of ready) highlight.add(range);
}

function hide(code: Element): void {
  for (const { highlight, range } of shown.get(code) ?? []) highlight.delete(range);
  shown.delete(code);
}

async function computeRanges(code: HTMLElement): Promise<readonly ColoredRange[]> {
  const loaded = await import('./highlighter.js').catch((error: unknown) => {
    reportError(error);
    return undefined;
  });
  const pieces = [...code.children].map((piece) => piece.firstChild).filter((node) => node instanceof Text);
  return loaded?.highlightRanges(code.textContent, code.dataset['language'] ?? '').flatMap((range) => cutAtPieces(pieces, range)) ?? [];
}

/** A range lies in one text node, so one that crosses pieces is cut. */
function cutAtPieces(pieces: readonly Text[], { scope, start, end }: HighlightedRange): ColoredRange[] {
  const cut: ColoredRange[] = [];
  let offset = 0;
  for (const piece of pieces) {
    const from = Math.max(start - offset, 0);
    const to = Math.min(end - offset, piece.length);
    if (from < to)
      cut.push({
        highlight: highlightFor(scope),
        range: new StaticRange({ startContainer: piece, startOffset: from, endContainer: piece, endOffset: to }),
      });
    offset += piece.length;
  }
  return cut;
}

function highlightFor(scope: string): Highlight {
  const name = `code-${scope}`;
  let highlight = CSS.highlights.get(name);
  if (highlight === undefined) {
    highlight = new Highlight();
    CSS.highlights.set(name, highlight);
  }
  return highlight;
}
