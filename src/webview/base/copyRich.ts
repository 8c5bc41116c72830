/**
 * What is copied for documents and mails has no colors: the browser would write those of the theme into it, which is white text on the
 * white paper of a document. Structure stays, such as headings, lists, tables, code and lines. A chunk of its own, loaded at the first selection.
 */
import { el } from './dom.js';

export function copyWithoutColors(): void {
  document.addEventListener('copy', (event) => {
    const selection = getSelection();
    // A text box copies its own selection, which is plain.
    if (selection === null || selection.isCollapsed || event.clipboardData === null) return;
    const range = selection.getRangeAt(0);
    const text = selection.toString();
    const paper = el('div', {}, ...(/[\n\t]/.test(text) ? copyOf(topOf(range), range) : wordsOf(range)));
    event.clipboardData.setData('text/html', paper.getHTML());
    event.clipboardData.setData('text/plain', text);
    event.preventDefault();
  });
}

/** Part of one line is no list, table or code block of its own. */
function wordsOf(range: Range): readonly Node[] {
  const { commonAncestorContainer: node } = range;
  return node instanceof Element ? [...node.childNodes].flatMap((child) => copyOf(child, range)) : copyOf(node, range);
}

/** Several lines of a list, a table or a code block stay one. */
function topOf({ commonAncestorContainer: node }: Range): Node {
  const element = node instanceof Element ? node : node.parentElement;
  return element?.closest('.item') ?? element ?? node;
}

function copyOf(node: Node, range: Range): readonly Node[] {
  if (!range.intersectsNode(node)) return [];
  if (node instanceof Text) {
    const start = node === range.startContainer ? range.startOffset : 0;
    const words = node.data.slice(start, node === range.endContainer ? range.endOffset : undefined);
    return words === '' ? [] : [new Text(words)];
  }
  if (!(node instanceof HTMLElement)) return [];
  const { display, textAlign, userSelect, whiteSpaceCollapse } = getComputedStyle(node);
  if (userSelect === 'none' || (display !== 'contents' && !node.checkVisibility())) return [];
  const content = [...node.childNodes].flatMap((child) => copyOf(child, range));
  // The selection only touches it.
  if (content.length === 0 && node.hasChildNodes()) return [];
  const copy = node.cloneNode() as HTMLElement;
  for (const name of copy.getAttributeNames()) if (!kept.has(name)) copy.removeAttribute(name);
  if (whiteSpaceCollapse !== 'collapse' && node.closest('pre') === null) copy.style.whiteSpace = 'pre-wrap';
  if (node.matches('.align-center, .align-right')) copy.style.textAlign = textAlign;
  copy.append(...content);
  return [copy];
}

/** The attributes that belong to the text. */
const kept: ReadonlySet<string> = new Set(['href', 'src', 'alt', 'start', 'type', 'checked', 'open', 'colspan', 'rowspan', 'dir']);
