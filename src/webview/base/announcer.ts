/** What screen readers announce: one polite sentence at a time, instead of a log that is read again at each token. */
import { el } from './dom.js';

const longest = 600;

export interface Announcer {
  readonly element: HTMLElement;
  say(text: string): void;
}

export function createAnnouncer(): Announcer {
  const element = el('div', { class: 'sr-only', role: 'status', 'aria-live': 'polite', 'aria-atomic': 'true' });
  return {
    element,
    say(text) {
      const shown = text.length > longest ? `${text.slice(0, longest)} …` : text;
      // The same text again would change nothing, and only a change is announced. The space is not read.
      element.textContent = element.textContent === shown ? `${shown}\u00a0` : shown;
    },
  };
}
