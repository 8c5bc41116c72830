/** `<details>` in an answer: a collapsible section whose content is Markdown like the rest. */
import type { Token } from 'marked';
import { breakable, el, icon } from '../base/dom.js';
import { decodeReferences } from './entities.js';

export type DetailsPart =
  | { readonly type: 'open'; readonly isOpen: boolean }
  | { readonly type: 'summary'; readonly text: string }
  | { readonly type: 'close' }
  /** The Markdown between the tags. */
  | { readonly type: 'text'; readonly text: string };

const tag = /<details(\s[^<>]*)?>|<summary(?:\s[^<>]*)?>([\s\S]*?)<\/summary\s*>|<\/details\s*>/gi;

/** In running text, only a pair of tags counts, because prose may mention the tag. */
const pair = /<details[\s>][\s\S]*<\/details/i;

/** @returns undefined if the block does not belong to such a section */
export function partsOf(token: Token): readonly DetailsPart[] | undefined {
  if (token.type === 'html') return detailsParts(token.raw);
  const inline = token.type === 'paragraph' || token.type === 'text' ? token.tokens : undefined;
  return inline?.some(({ type }) => type === 'html') === true && pair.test(token.raw) ? detailsParts(token.raw) : undefined;
}

function detailsParts(html: string): readonly DetailsPart[] | undefined {
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

/** Returns the summary while the rest is still to come. */
export function summaryIn(parts: readonly DetailsPart[]): string {
  return parts.flatMap((part) => (part.type === 'summary' ? [part.text] : [])).join(' ');
}

function plainText(html: string): string {
  return decodeReferences(html.replace(/<[^<>]*>/g, ''))
    .replace(/\s+/g, ' ')
    .trim();
}

/** Deeper sections are drawn inside the last one: browsers cannot lay out thousands of nested boxes. */
const deepest = 16;

interface Section {
  /** The element for what follows, until the section ends. */
  readonly body: HTMLElement;
  readonly label: HTMLElement;
}

/** The sections that are open at the end of a text, the innermost last. */
export class OpenDetails {
  readonly #sections: Section[] = [];

  get body(): HTMLElement | undefined {
    return this.#sections.at(-1)?.body;
  }

  /**
   * @param place adds the element at the current position
   * @param addText draws Markdown at the current position
   */
  take(parts: readonly DetailsPart[], place: (element: HTMLElement) => void, addText: (markdown: string) => void): void {
    for (const part of parts) {
      if (part.type === 'text') addText(part.text);
      else if (part.type === 'close') this.#sections.pop();
      else if (part.type === 'summary') this.#sections.at(-1)?.label.replaceChildren(...breakable(part.text));
      else this.#open(part.isOpen, place);
    }
  }

  #open(isOpen: boolean, place: (element: HTMLElement) => void): void {
    const outer = this.#sections.at(-1);
    if (outer !== undefined && this.#sections.length >= deepest) return void this.#sections.push(outer);
    const label = el('span', { dir: 'auto' }, 'Details');
    const body = el('div', { class: 'details-body' });
    const element = el('details', { class: 'fold details' }, el('summary', {}, icon('chevron-right'), label), body);
    element.open = isOpen;
    place(element);
    this.#sections.push({ body, label });
  }
}
