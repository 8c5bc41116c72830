/** A change of one file, line by line. Numbers and signs accompany the colors, and unchanged lines are collapsed. */
import type { DiffView } from '../../contract/viewParts.js';
import { diffTexts, foldUnchanged, type LineDiff } from '../../core/base/lineDiff.js';
import { el, textButton } from '../base/dom.js';
import { renderStretches } from './diffRows.js';

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
export function renderDiff({ path, oldText, newText, firstLine = 1 }: DiffView, complete = false): HTMLElement {
  const { lines, endings } = diffTexts(oldText ?? '', newText);
  const rows = foldUnchanged(lines, contextLines);
  const language = languageOf(path);
  const body = el('div', { class: 'diff-lines', role: 'group', 'aria-label': `Changes of ${path}`, tabindex: '0', dir: 'ltr' });
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
