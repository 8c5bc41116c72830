/**
 * Colors closed code blocks through the CSS Custom Highlight API: ranges, no elements. The browser checks every registered range in every
 * frame, so only visible blocks are registered: with all blocks of a 20 KB answer registered, the frames of a stream took twice as long.
 * The highlighter is a separate chunk, loaded for the first visible block. Without the API, without the chunk, or above the limit, code
 * stays plain.
 */
import type { HighlightedRange } from './highlighter.js';

/** Above this length, colors are not worth the pause. */
const limitCharacters = 20_000;

interface ColoredRange {
  readonly highlight: Highlight;
  readonly range: StaticRange;
}

/** Text in one language, with the nodes that contain it. */
interface Source {
  readonly language: string;
  readonly code: string;
  /** `start` is where the text of the node begins in the code. */
  readonly pieces: readonly { readonly node: Text; readonly start: number }[];
}

let observer: IntersectionObserver | undefined;
let loading: ReturnType<typeof loadHighlighter> | undefined;
/** The sources of elements that are not code blocks. */
const sources = new WeakMap<Element, readonly Source[]>();
/** Computed once per block; `shown` has the ranges that are registered now. */
const computed = new WeakMap<Element, Promise<readonly ColoredRange[]>>();
const shown = new Map<Element, readonly ColoredRange[]>();

/** Call this once for a complete block. */
export function highlightWithin(block: Element): void {
  if (!('highlights' in CSS)) return;
  for (const code of block.querySelectorAll<HTMLElement>('code[data-language]')) {
    const length = code.textContent.length;
    if (code.dataset['language'] === '' || length === 0 || length > limitCharacters) continue;
    observer ??= new IntersectionObserver(onVisibility);
    observer.observe(code);
  }
}

/**
 * Call this once for an element with the lines of several texts, such as those before and after a change.
 * @param texts for each text its lines, and for each line the nodes that contain it
 */
export function highlightTexts(element: Element, language: string, texts: readonly (readonly (readonly Text[])[])[]): void {
  if (!('highlights' in CSS) || language === '') return;
  sources.set(
    element,
    texts.map((lines) => sourceOf(language, lines)).filter(({ code }) => code.length > 0 && code.length <= limitCharacters),
  );
  observer ??= new IntersectionObserver(onVisibility);
  observer.observe(element);
}

/** Call this for an element that is about to be removed from the page. */
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
  // The block may have left the view in the meantime.
  if (!shown.has(code)) return;
  shown.set(code, ready);
  for (const { highlight, range } of ready) highlight.add(range);
}

function hide(code: Element): void {
  for (const { highlight, range } of shown.get(code) ?? []) highlight.delete(range);
  shown.delete(code);
}

async function computeRanges(code: HTMLElement): Promise<readonly ColoredRange[]> {
  const loaded = await (loading ??= loadHighlighter());
  return (loaded === undefined ? [] : (sources.get(code) ?? [blockSource(code)])).flatMap(
    (source) => loaded?.highlightRanges(source.code, source.language).flatMap((range) => cutAtPieces(source, range)) ?? [],
  );
}

/** Call this once: importing a module takes as long as coloring a few lines, even if it is already loaded. */
async function loadHighlighter() {
  return import('./highlighter.js').catch((error: unknown) => {
    reportError(error);
    return undefined;
  });
}

function blockSource(code: HTMLElement): Source {
  const nodes = [...code.children].map((piece) => piece.firstChild).filter((node) => node instanceof Text);
  return { ...joinNodes(nodes), language: code.dataset['language'] ?? '' };
}

function joinNodes(nodes: readonly Text[]): Pick<Source, 'code' | 'pieces'> {
  let code = '';
  const pieces = nodes.map((node) => {
    const piece = { node, start: code.length };
    code += node.data;
    return piece;
  });
  return { code, pieces };
}

function sourceOf(language: string, lines: readonly (readonly Text[])[]): Source {
  let code = '';
  const pieces = lines.flatMap((nodes) => {
    const line = joinNodes(nodes);
    const start = code.length;
    code += `${line.code}\n`;
    return line.pieces.map((piece) => ({ node: piece.node, start: start + piece.start }));
  });
  return { language, code, pieces };
}

/** A range must be inside one text node, so this splits a range that spans several. */
function cutAtPieces({ pieces }: Source, { scope, start, end }: HighlightedRange): ColoredRange[] {
  const cut: ColoredRange[] = [];
  for (const { node, start: offset } of pieces) {
    const from = Math.max(start - offset, 0);
    const to = Math.min(end - offset, node.length);
    if (from < to)
      cut.push({
        highlight: highlightFor(scope),
        range: new StaticRange({ startContainer: node, startOffset: from, endContainer: node, endOffset: to }),
      });
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
