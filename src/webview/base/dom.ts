/**
 * Small builders for the parts of the page that are rendered without a framework. They only create text: nothing here can turn a string
 * into markup.
 */
import type { ToolKindView } from '../../contract/view.js';

/** Attributes by name; `undefined` leaves one out. */
export type Attributes = Readonly<Record<string, string | undefined>>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  element.append(...children);
  return element;
}

export function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) element.removeAttribute(name);
    else element.setAttribute(name, value);
  }
}

/** A codicon, invisible to screen readers, because the text says the same. */
export function icon(name: string): HTMLSpanElement {
  return el('span', { class: `codicon codicon-${name}`, 'aria-hidden': 'true' });
}

/** For buttons that act once: the second click of a double-click is not meant. @param detail of the event: the number of clicks so far */
export function isFirstClick(detail: number): boolean {
  return detail < 2;
}

export function textButton(label: string, onClick: (event: MouseEvent) => void, className = 'button'): HTMLButtonElement {
  const button = el('button', { type: 'button', class: className }, label);
  button.addEventListener('click', onClick);
  return button;
}

export function iconButton(name: string, label: string, onClick: (event: MouseEvent) => void): HTMLButtonElement {
  const button = el('button', { type: 'button', class: 'icon-button', 'aria-label': label, title: label }, icon(name));
  button.addEventListener('click', onClick);
  return button;
}

/** The number of combining marks on one letter from which layout is slow: it takes quadratic time. */
const fewestMarks = 64;
/** A quick check: most texts have no such character, and the search for marks takes longer. */
const mayBeMark = /[\u0300-\uffff]/;
const pileOfMarks = /\p{M}{64}(?=\p{M})/gu;

/**
 * Returns the text with break opportunities where the browser would otherwise have to lay out a cluster of hundreds of marks. They don't
 * appear in copied text.
 */
export function breakable(text: string): (Node | string)[] {
  if (text.length <= fewestMarks || !mayBeMark.test(text) || text.search(pileOfMarks) === -1) return [text];
  const nodes: (Node | string)[] = [];
  let at = 0;
  for (const { index, 0: marks } of text.matchAll(pileOfMarks)) {
    nodes.push(text.slice(at, index + marks.length), el('wbr'));
    at = index + marks.length;
  }
  return [...nodes, text.slice(at)];
}

/** Sets the text only if it differs, so that a selection in it survives. */
export function setText(node: Element, text: string): void {
  if (node.textContent !== text) node.replaceChildren(...breakable(text));
}

/** Creates a button that copies what `text` returns at the time of the click, and confirms that for a moment. */
export function copyButton(label: string, text: () => string, copy: (text: string) => void): HTMLButtonElement {
  const button = iconButton('copy', label, () => {
    copy(text());
    button.firstElementChild?.classList.replace('codicon-copy', 'codicon-check');
    setTimeout(() => button.firstElementChild?.classList.replace('codicon-check', 'codicon-copy'), 1200);
  });
  button.classList.add('copy-button');
  return button;
}

/** What a tool does, as an icon. */
export const toolIcons: Readonly<Record<ToolKindView, string>> = {
  read: 'file',
  edit: 'edit',
  delete: 'trash',
  move: 'arrow-right',
  search: 'search',
  execute: 'terminal',
  think: 'lightbulb',
  fetch: 'globe',
  switch_mode: 'settings',
  other: 'tools',
};
