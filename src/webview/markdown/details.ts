/** `<details>` in an answer, the only HTML that is drawn: as a foldable part whose content is markdown like the rest. */
import { el, icon } from '../base/dom.js';
import { decodeReferences } from './entities.js';

export type DetailsPart =
  | { readonly type: 'open'; readonly isOpen: boolean }
  | { readonly type: 'summary'; readonly text: string }
  | { readonly type: 'close' }
  /** Markdown between the tags. */
  | { readonly type: 'text'; readonly text: string };

const tag = /<details(\s[^<>]*)?>|<summary(?:\s[^<>]*)?>([\s\S]*?)<\/summary\s*>|<\/details\s*>/gi;

/** @param html a block of HTML @returns undefined where it has no part in such a section */
export function detailsParts(html: string): readonly DetailsPart[] | undefined {
  const parts: DetailsPart[] = [];
  let at = 0;
  const addText = (end: number): void => {
    const text = html.slice(at, end).trim();
    if (text !== '') parts.push({ type: 'text', text });
  };
  for (const match of html.matchAll(tag)) {
    const [whole, attributes, summary] = match;
    addText(match.index);
    at = match.index + whole.length;
    if (summary !== undefined) parts.push({ type: 'summary', text: plainText(summary) });
    else if (whole.startsWith('</')) parts.push({ type: 'close' });
    else parts.push({ type: 'open', isOpen: /\sopen\b/i.test(attributes ?? '') });
  }
  if (at === 0) return undefined;
  addText(html.length);
  return parts;
}

/** The words to fold by, while the rest is still to come. */
export function summaryIn(parts: readonly DetailsPart[]): string {
  return parts.flatMap((part) => (part.type === 'summary' ? [part.text] : [])).join(' ');
}

function plainText(html: string): string {
  return decodeReferences(html.replace(/<[^<>]*>/g, ''))
    .replace(/\s+/g, ' ')
    .trim();
}

export interface DetailsSection {
  readonly element: HTMLDetailsElement;
  /** Where what follows goes, up to its end. */
  readonly body: HTMLElement;
  readonly label: HTMLElement;
}

export function createDetails(isOpen: boolean): DetailsSection {
  const label = el('span', { dir: 'auto' }, 'Details');
  const body = el('div', { class: 'details-body' });
  const element = el('details', { class: 'fold details' }, el('summary', {}, icon('chevron-right'), label), body);
  element.open = isOpen;
  return { element, body, label };
}
