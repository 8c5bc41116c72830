/**
 * Pictures in the folder that an answer names. The page cannot load anything, so the host reads them. Until then, and if it doesn't, they
 * are links.
 */
import { el } from '../base/dom.js';
import { intentOf } from './linkClicks.js';

/** The formats that a page may show: none of them can refer to anything else. */
const picture = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z\d+/=]+$/i;

/** Matches the end of a picture's name. What else follows a `#` or `?` is for web servers. */
const pictureName = /\.(?:png|jpe?g|gif|webp)$/i;

export function isPicture(href: string): boolean {
  return picture.test(href);
}

export interface WorkspaceImages {
  /** Call this once for a complete block. */
  loadWithin(block: Element): void;
  /** Shows the picture in an element. */
  load(path: string, element: Element): void;
  /** @param data a `data:` URL */
  loaded(path: string, data: string): void;
  /** Call this when the page shows another conversation, perhaps of another folder. */
  forget(): void;
}

/** No reasonable answer has more pictures. */
const mostAsked = 20;

/** @param ask may be answered by `loaded` */
export function createWorkspaceImages(ask: (path: string) => void): WorkspaceImages {
  const waiting = new Map<string, Element[]>();
  const load = (path: string, element: Element): void => {
    const known = waiting.get(path);
    waiting.set(path, [...(known ?? []), element]);
    if (known === undefined && waiting.size <= mostAsked) ask(path);
  };
  return {
    load,
    loadWithin(block) {
      for (const link of block.querySelectorAll('a.image')) {
        const intent = intentOf(link);
        if (intent?.type !== 'openLocation') continue;
        const { path: before, rest = '' } = intent;
        load(pictureName.test(rest) ? before + rest : before, link);
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
