/**
 * Updates nodes in the page to a freshly rendered state with the fewest changes, so that selection and focus in unchanged parts survive.
 */
import { setAttributes } from '../base/dom.js';
import { growCodeBlock } from './codeBlock.js';
import { copyLinkIntent } from './linkClicks.js';

export function patchChildren(parent: Node, fresh: readonly Node[]): void {
  fresh.forEach((node, index) => {
    const kept = parent.childNodes[index];
    if (kept === undefined) parent.appendChild(node);
    else if (!patchNode(kept, node)) parent.replaceChild(node, kept);
  });
  while (parent.childNodes.length > fresh.length) parent.lastChild?.remove();
}

/** @returns false if `kept` is of a different kind; it is then unchanged */
export function patchNode(kept: Node, fresh: Node): boolean {
  if (kept instanceof Text && fresh instanceof Text) {
    patchText(kept, fresh.data);
    return true;
  }
  if (!(kept instanceof HTMLElement) || !(fresh instanceof HTMLElement) || kept.nodeName !== fresh.nodeName) return false;
  if (kept.className !== fresh.className) return false;
  if (kept.classList.contains('code-block')) return growCodeBlock(kept, fresh);
  patchAttributes(kept, fresh);
  copyLinkIntent(kept, fresh);
  patchChildren(kept, [...fresh.childNodes]);
  return true;
}

/** Replaces only what follows the common beginning. */
function patchText(kept: Text, text: string): void {
  const before = kept.data;
  if (before === text) return;
  if (text.startsWith(before)) return kept.appendData(text.slice(before.length));
  let same = 0;
  while (same < before.length && before[same] === text[same]) same++;
  kept.replaceData(same, before.length - same, text.slice(same));
}

function patchAttributes(kept: HTMLElement, fresh: HTMLElement): void {
  // Once a part is in the page, the user decides whether it is collapsed.
  for (const { name } of [...kept.attributes]) if (name !== 'open' && !fresh.hasAttribute(name)) kept.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (kept.getAttribute(name) !== value) setAttributes(kept, { [name]: value });
  if (kept instanceof HTMLInputElement && fresh instanceof HTMLInputElement) kept.checked = fresh.checked;
}
