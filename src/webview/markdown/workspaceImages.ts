/** Pictures of the folder that an answer names. The page may load nothing, so the host reads them; until it has, and where it does not, they are links. */
import { el } from '../base/dom.js';
import { intentOf } from './linkClicks.js';

/** What a page may show by itself: no format that can refer to anything else. */
const picture = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z\d+/=]+$/i;

export function isPicture(href: string): boolean {
  return picture.test(href);
}

export interface WorkspaceImages {
  /** Call it once for a block that is complete. */
  loadWithin(block: Element): void;
  /** @param data a `data:` address */
  loaded(path: string, data: string): void;
  /** The page shows another conversation, perhaps of another folder. */
  forget(): void;
}

/** An answer with more of them is no answer. */
const mostAsked = 20;

/** @param ask answered by `loaded`, or not at all */
export function createWorkspaceImages(ask: (path: string) => void): WorkspaceImages {
  const waiting = new Map<string, Element[]>();
  return {
    loadWithin(block) {
      for (const link of block.querySelectorAll('a.image')) {
        const intent = intentOf(link);
        if (intent?.type !== 'openLocation') continue;
        const known = waiting.get(intent.path);
        waiting.set(intent.path, [...(known ?? []), link]);
        if (known === undefined && waiting.size <= mostAsked) ask(intent.path);
      }
    },
    loaded(path, data) {
      if (!isPicture(data)) return;
      for (const link of waiting.get(path) ?? []) link.replaceChildren(el('img', { src: data, alt: link.textContent.trim() }));
      waiting.delete(path);
    },
    forget: () => waiting.clear(),
  };
}
