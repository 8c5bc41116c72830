/** Links without URLs: the meaning of a click is stored next to the element, where nothing that follows links automatically can find it. */
import { el } from '../base/dom.js';
import type { Post } from '../base/hostLink.js';
import { fileOf, type LinkIntent, otherTarget, targetOf } from './links.js';

const intents = new WeakMap<Element, LinkIntent>();

export function linkElement(intent: LinkIntent, ...content: readonly (Node | string)[]): HTMLElement {
  const title = intent.type === 'openLink' && fileOf(intent.href) === undefined ? intent.href : targetOf(intent);
  const link = el('a', { class: 'link', role: 'link', tabindex: '0', title }, ...content);
  intents.set(link, intent);
  return link;
}

/** Creates a link that also shows its target if its text names a different one. */
export function honestLink(intent: LinkIntent, ...content: readonly (Node | string)[]): HTMLElement {
  const link = linkElement(intent, ...content);
  const target = otherTarget(link.textContent, intent);
  return target === undefined ? link : withTarget(link, target);
}

/** Creates a link to a picture that also shows where the picture is. */
export function imageLink(intent: LinkIntent, ...content: readonly (Node | string)[]): HTMLElement {
  const link = linkElement(intent, ...content);
  link.classList.add('image');
  return withTarget(link, targetOf(intent));
}

function withTarget(link: HTMLElement, target: string): HTMLElement {
  return el('span', {}, link, el('span', { class: 'link-target', dir: 'ltr' }, ` (${target})`));
}

/** Handles clicks on all links inside `root`, including later ones. */
export function listenForLinks(root: HTMLElement, post: Post): void {
  const open = (event: Event): void => {
    const link = event.target instanceof Element ? event.target.closest('a.link') : null;
    const intent = link === null ? undefined : intents.get(link);
    if (intent === undefined) return;
    event.preventDefault();
    post(intent);
  };
  root.addEventListener('click', open);
  root.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.isComposing) open(event);
  });
}

export function intentOf(link: Element): LinkIntent | undefined {
  return intents.get(link);
}

/** Copies the meaning of the links in `fresh` to `kept`, when a patch keeps the old element. */
export function copyLinkIntent(kept: Element, fresh: Element): void {
  const intent = intents.get(fresh);
  if (intent !== undefined) intents.set(kept, intent);
}
