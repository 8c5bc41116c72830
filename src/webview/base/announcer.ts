/** What screen readers announce: polite sentences as they are due, instead of a log that is read again at each token. */
import { el } from './dom.js';

const longest = 600;

export interface Announcer {
  readonly element: HTMLElement;
  /** Announces the text, together with all others of the same change: a later one would replace an earlier one before it is read. */
  say(text: string): void;
}

export function createAnnouncer(): Announcer {
  const element = el('div', { class: 'sr-only', role: 'status', 'aria-live': 'polite', 'aria-atomic': 'true' });
  let due: string[] = [];
  const announce = (): void => {
    const shown = due.join('\n');
    due = [];
    // The same text again would change nothing, and only a change is announced. The space is not read.
    element.textContent = element.textContent === shown ? `${shown}\u00a0` : shown;
  };
  return {
    element,
    say(text) {
      due.push(text.length > longest ? `${text.slice(0, longest)} …` : text);
      if (due.length === 1) queueMicrotask(announce);
    },
  };
}
