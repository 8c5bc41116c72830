/** A lazily loaded chunk: the find bar without its text box. Searches while the user types; Enter continues. */
import type { iconButton } from '../base/dom.js';
import { createTextFinder } from './findText.js';

export interface FindParts {
  readonly bar: HTMLElement;
  readonly box: HTMLInputElement;
  readonly count: HTMLElement;
  /** What is searched. */
  readonly content: HTMLElement;
  readonly close: () => void;
  /** Passed in, because a module that the page script shares with this chunk would become a third file. */
  readonly button: typeof iconButton;
}

export interface Find {
  /** Searches for what is in the box, and removes the marks if it is empty. */
  search(): void;
}

/** Completes the bar, and searches for what is already in its box. */
export function startFind({ bar, box, count, content, close, button }: FindParts): Find {
  const finder = createTextFinder(content);
  let matches = 0;
  const go = (step: 1 | -1): void => {
    const at = finder.go(step);
    count.textContent = box.value === '' ? '' : matches === 0 ? 'No results' : `${at} of ${matches}`;
  };
  const search = (): void => {
    matches = finder.find(box.value);
    go(1);
  };
  bar.append(
    button('arrow-up', 'Previous match (Enter)', () => go(-1)),
    button('arrow-down', 'Next match (Shift+Enter)', () => go(1)),
    button('close', 'Close (Escape)', close),
  );
  box.addEventListener('input', search);
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
    go(event.shiftKey ? 1 : -1);
  });
  search();
  return { search };
}
