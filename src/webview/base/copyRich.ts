/**
 * What is copied for documents and mails has no colors: the browser would write those of the theme into it, which is white text on the
 * white paper of a document. Structure stays, such as headings, lists, tables and code. A chunk of its own, loaded at the first selection.
 */
import { el } from './dom.js';

export function copyWithoutColors(): void {
  document.addEventListener('copy', (event) => {
    const selection = getSelection();
    // A text box copies its own selection, which is plain.
    if (selection === null || selection.isCollapsed || event.clipboardData === null) return;
    const range = selection.getRangeAt(0);
    const paper = el('div', {}, ...copyOf(topOf(range.commonAncestorContainer), range));
    event.clipboardData.setData('text/html', paper.getHTML());
    event.clipboardData.setData('text/plain', selection.toString());
    event.preventDefault();
  });
}

/** Part of a list, a table or a code block stays one. */
function topOf(node: Node): Node {
  const element = node instanceof Element ? node : node.parentElement;
  return element?.closest('.item') ?? node;
}

function copyOf(node: Node, range: Range): readonly Node[] {
  if (!range.intersectsNode(node)) return [];
  if (node instanceof Text) {
    const start = node === range.startContainer ? range.startOffset : 0;
    return [new Text(node.data.slice(start, node === range.endContainer ? range.endOffset : undefined))];
  }
  if (!(node instanceof Element) || !node.checkVisibility() || getComputedStyle(node).userSelect === 'none') return [];
  const copy = node.cloneNode() as Element;
  for (const name of copy.getAttributeNames()) if (!kept.has(name)) copy.removeAttribute(name);
  copy.append(...[...node.childNodes].flatMap((child) => copyOf(child, range)));
  return [copy];
}

/** The attributes that belong to the text. */
const kept: ReadonlySet<string> = new Set(['href', 'src', 'alt', 'start', 'type', 'checked', 'colspan', 'rowspan', 'dir']);
