/** A change of one file, line by line: signs as well as colors, unchanged stretches folded away. */
import { diffLines } from 'diff';
import type { DiffView } from '../../contract/view.js';
import { revealHidden } from '../../core/base/hiddenText.js';
import { el, textButton } from '../base/dom.js';

interface DiffLine {
  readonly sign: '+' | '−' | ' ';
  readonly text: string;
}

const contextLines = 3;
/** Lines drawn at once; the rest comes on demand. */
const linesShown = 200;
/** A comparison that takes longer is shown as all removed and all added. */
const timeoutMs = 150;
const classes = { '+': 'added', '−': 'removed', ' ': 'same' } as const;
const names = { '+': 'added', '−': 'removed', ' ': '' } as const;

/** @param complete every line at once, as a decision needs it */
export function renderDiff({ path, oldText, newText }: DiffView, complete = false): HTMLElement {
  const rows = foldUnchanged(compareLines(oldText ?? '', newText));
  const body = el('div', { class: 'diff-lines', role: 'group', 'aria-label': `Changes of ${path}`, tabindex: '0', dir: 'ltr' });
  const shown = complete ? rows.length : linesShown;
  body.append(...rows.slice(0, shown).map(renderRow));
  const more = rows.length - shown;
  if (more > 0) {
    const button = textButton(`Show ${more} more lines`, () => button.replaceWith(...rows.slice(shown).map(renderRow)), 'text-button');
    body.append(button);
  }
  return body;
}

function compareLines(oldText: string, newText: string): DiffLine[] {
  const changes = diffLines(oldText, newText, { timeout: timeoutMs }) ?? [
    { value: oldText, removed: true, added: false },
    { value: newText, removed: false, added: true },
  ];
  return changes.flatMap(({ value, added, removed }) => {
    const sign = added ? '+' : removed ? '−' : ' ';
    return linesOf(value).map((text): DiffLine => ({ sign, text }));
  });
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
}

/** A number stands for so many unchanged lines. */
function foldUnchanged(lines: readonly DiffLine[]): (DiffLine | number)[] {
  const near = new Set<number>();
  lines.forEach(({ sign }, index) => {
    if (sign === ' ') return;
    for (let at = index - contextLines; at <= index + contextLines; at++) near.add(at);
  });
  const rows: (DiffLine | number)[] = [];
  lines.forEach((line, index) => {
    const last = rows.at(-1);
    if (near.has(index)) rows.push(line);
    else if (typeof last === 'number') rows[rows.length - 1] = last + 1;
    else rows.push(1);
  });
  return rows;
}

function renderRow(row: DiffLine | number): HTMLElement {
  if (typeof row === 'number') return el('div', { class: 'diff-line skipped' }, `⋯ ${row} unchanged`);
  const spoken = names[row.sign];
  return el(
    'div',
    { class: `diff-line ${classes[row.sign]}` },
    el('span', { class: 'diff-sign', 'aria-hidden': 'true' }, row.sign),
    ...(spoken === '' ? [] : [el('span', { class: 'sr-only' }, `${spoken}: `)]),
    el('span', { class: 'diff-text' }, revealHidden(row.text)),
  );
}
