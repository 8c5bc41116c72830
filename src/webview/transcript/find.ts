/** A lazily loaded chunk: the find bar without its text box. Searches while the user types; Enter continues. */
import type { iconButton } from '../base/dom.js';
import { createFinder } from './finder.js';
import type { Transcript } from './transcript.js';

/** A conversation that changes is searched again after this pause, and not for each change. */
const refreshDelayMs = 200;

export interface FindParts {
  readonly bar: HTMLElement;
  readonly box: HTMLInputElement;
  readonly count: HTMLElement;
  readonly transcript: Transcript;
  readonly close: () => void;
  /** Passed in, because a module that the page script shares with this chunk would become a third file. */
  readonly button: typeof iconButton;
}

export interface Find {
  /** Searches for what is in the box, and removes the marks if it is empty. */
  search(): void;
}

/** Completes the bar, and searches for what is already in its box. */
export function startFind({ bar, box, count, transcript, close, button }: FindParts): Find {
  const finder = createFinder(transcript, ({ at, of }) => {
    const text = box.value === '' ? '' : of === 0 ? 'No results' : `${at ?? '?'} of ${of}`;
    // A status that is set again is announced again.
    if (count.textContent !== text) count.textContent = text;
  });
  const go = (step: 1 | -1): void => void finder.go(step);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const changes = new MutationObserver(() => {
    timer ??= setTimeout(() => {
      timer = undefined;
      finder.refresh();
    }, refreshDelayMs);
  });
  const search = (): void => {
    if (box.value === '') changes.disconnect();
    else changes.observe(transcript.content, { subtree: true, childList: true, characterData: true, attributeFilter: ['hidden', 'open'] });
    void finder.find(box.value);
  };
  bar.append(
    button('arrow-up', 'Previous match (Shift+Enter)', () => go(-1)),
    button('arrow-down', 'Next match (Enter)', () => go(1)),
    button('close', 'Close (Escape)', close),
  );
  box.addEventListener('input', search);
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
    go(event.shiftKey ? -1 : 1);
  });
  search();
  return { search };
}
