/** A change of one file, line by line. Numbers and signs accompany the colors, and unchanged lines are collapsed. */
import type { DiffView } from '../../contract/viewParts.js';
import { revealHidden } from '../../core/base/hiddenText.js';
import { type DiffLine, diffTexts, foldUnchanged, type LineDiff, partsOf, type SkippedLines } from '../../core/base/lineDiff.js';
import { el, textButton } from '../base/dom.js';
import { highlightTexts } from '../markdown/highlight.js';

const contextLines = 3;
/** The number of rows on a card; the rest appears on demand. */
const rowsShown = 200;

const endingTexts: Readonly<Record<NonNullable<LineDiff['endings']>, string>> = {
  all_changed: 'The line endings of the whole file change.',
  last_changed: 'Only the line break at the end of the file changes.',
};

/** Languages whose names differ from the file extension. */
const languages: Readonly<Record<string, string>> = { c: 'cpp', h: 'cpp', svg: 'xml', vue: 'xml', scss: 'css', less: 'css', jsonc: 'json' };

/** @param complete shows everything at once, as a decision requires */
export function renderDiff({ path, oldText, newText, firstLine = 1, isUnnumbered }: DiffView, complete = false): HTMLElement {
  const { lines, endings } = diffTexts(oldText ?? '', newText);
  const rows = foldUnchanged(lines, contextLines);
  const language = languageOf(path);
  const body = el('div', { class: 'diff-lines', role: 'group', 'aria-label': `Changes of ${path}`, tabindex: '0', dir: 'ltr' });
  if (isUnnumbered === true) body.classList.add('unnumbered');
  body.style.setProperty('--digits', String(String(firstLine + lines.length).length));
  const shown = complete ? rows.length : rowsShown;
  body.append(...renderStretches(rows.slice(0, shown), language, firstLine));
  if (rows.length > shown) {
    const button = textButton(
      `Show all ${rows.length} lines`,
      () => button.replaceWith(...renderStretches(rows.slice(shown), language, firstLine)),
      'text-button',
    );
    body.append(button);
  }
  if (endings !== undefined) body.append(el('div', { class: 'diff-line skipped' }, endingTexts[endings]));
  return body;
}

function languageOf(path: string): string {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return languages[ending] ?? ending;
}

/**
 * The rows of a change. They are rendered when they come into view; until then, a stretch of them is a single text, which takes up their
 * space.
 */
type DiffRow = DiffLine | SkippedLines;

const rowsPerStretch = 100;
const classes = { '+': 'added', '-': 'removed', ' ': 'same' } as const;
/** A minus sign that is as wide as the plus sign. */
const signs = { '+': '+', '-': '−', ' ': ' ' } as const;
const names = { '+': 'added: ', '-': 'removed: ', ' ': '' } as const;

const draws = new WeakMap<Element, () => void>();
let observer: IntersectionObserver | undefined;

/** @param firstLine the line number of the beginning of the texts */
function renderStretches(rows: readonly DiffRow[], language: string, firstLine: number): readonly HTMLElement[] {
  const stretches: HTMLElement[] = [];
  for (let at = 0; at < rows.length; at += rowsPerStretch) {
    const stretch = el('div', { class: 'diff-stretch', 'data-language': language });
    const own = rows.slice(at, at + rowsPerStretch);
    const draw = (): void => drawRows(stretch, own, { language, firstLine });
    if (at === 0) draw();
    else drawLater(stretch, own, draw);
    stretches.push(stretch);
  }
  return stretches;
}

function drawLater(stretch: HTMLElement, rows: readonly DiffRow[], draw: () => void): void {
  stretch.classList.add('undrawn');
  stretch.style.setProperty('--rows', String(rows.length));
  stretch.textContent = rows.map((row) => ('skipped' in row ? skippedText(row) : row.sign + revealHidden(row.text))).join('\n');
  draws.set(stretch, draw);
  observer ??= new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) drawAround(target);
  });
  observer.observe(stretch);
}

/** Draws the neighboring stretches too, so that a user who scrolls sees rows at once. */
function drawAround(stretch: Element): void {
  for (const one of [stretch, stretch.previousElementSibling, stretch.nextElementSibling]) {
    if (one === null) continue;
    draws.get(one)?.();
    draws.delete(one);
    observer?.unobserve(one);
  }
}

function drawRows(
  stretch: HTMLElement,
  rows: readonly DiffRow[],
  { language, firstLine }: { readonly language: string; readonly firstLine: number },
): void {
  stretch.classList.remove('undrawn');
  const [before, after]: [Text[][], Text[][]] = [[], []];
  stretch.replaceChildren(
    ...rows.map((row) => {
      if ('skipped' in row) return el('div', { class: 'diff-line skipped' }, skippedText(row));
      const texts: Text[] = [];
      const line = renderLine(row, firstLine, texts);
      (row.sign === '-' ? before : after).push(texts);
      return line;
    }),
  );
  highlightTexts(stretch, language, [before, after]);
}

/** @param texts receives the nodes with the text of the line */
function renderLine(line: DiffLine, firstLine: number, texts: Text[]): HTMLElement {
  const parts = partsOf(line).map(({ text, changed }) => {
    const node = document.createTextNode(revealHidden(text));
    texts.push(node);
    return changed ? el('span', { class: 'diff-part' }, node) : node;
  });
  const spoken = names[line.sign];
  return el(
    'div',
    { class: `diff-line ${classes[line.sign]}` },
    el('span', { class: 'diff-number', 'aria-hidden': 'true' }, String(line.number + firstLine - 1)),
    el('span', { class: 'diff-sign', 'aria-hidden': 'true' }, signs[line.sign]),
    ...(spoken === '' ? [] : [el('span', { class: 'sr-only' }, spoken)]),
    el('span', { class: 'diff-text' }, ...parts),
  );
}

function skippedText({ skipped }: SkippedLines): string {
  return `⋯ ${skipped} unchanged`;
}
