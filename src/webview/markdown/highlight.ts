/**
 * Colours for closed code blocks, through the CSS Custom Highlight API: ranges, no elements. The highlighter is a chunk of its own,
 * loaded for the first block that comes into view. Without the API, without the chunk or above the limit, code stays plain.
 */
import type { HighlightedRange } from './highlighter.js';

/** Above it the gain is not worth the pause. */
const limitCharacters = 20_000;
let observer: IntersectionObserver | undefined;

/** Call it once for a block that is complete. */
export function highlightWithin(block: Element): void {
  if (!('highlights' in CSS)) return;
  for (const code of block.querySelectorAll<HTMLElement>('code[data-language]')) {
    const length = code.textContent.length;
    if (code.dataset['language'] === '' || length === 0 || length > limitCharacters) continue;
    observer ??= new IntersectionObserver(onVisible);
    observer.observe(code);
  }
}

function onVisible(entries: readonly IntersectionObserverEntry[]): void {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting || !(target instanceof HTMLElement)) continue;
    observer?.unobserve(target);
    void highlight(target, target.dataset['language'] ?? '');
  }
}

async function highlight(code: HTMLElement, language: string): Promise<void> {
  const loaded = await import('./highlighter.js').catch((error: unknown) => {
    reportError(error);
    return undefined;
  });
  if (loaded === undefined || !code.isConnected) return;
  const pieces = [...code.children].map((piece) => piece.firstChild).filter((node) => node instanceof Text);
  for (const { scope, start, end } of loaded.highlightRanges(code.textContent, language)) addRange(pieces, { scope, start, end });
}

/** A range lies in one text node, so one that crosses pieces is cut. */
function addRange(pieces: readonly Text[], { scope, start, end }: HighlightedRange): void {
  let offset = 0;
  for (const piece of pieces) {
    const from = Math.max(start - offset, 0);
    const to = Math.min(end - offset, piece.length);
    if (from < to) highlightFor(scope).add(new StaticRange({ startContainer: piece, startOffset: from, endContainer: piece, endOffset: to }));
    offset += piece.length;
    if (offset >= end) return;
  }
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

/** Drops the ranges of what was removed from the page, which would be kept alive by them. */
export function forgetHighlights(removed: Element): void {
  if (!('highlights' in CSS) || removed.querySelector('.code-block') === null) return;
  for (const highlight of CSS.highlights.values()) {
    for (const range of highlight) if (removed.contains(range.startContainer)) highlight.delete(range);
  }
}
