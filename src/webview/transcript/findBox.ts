/**
 * Opens the find bar on Ctrl+F, like an editor. Only its text box is in the page script, so that it takes what the user types while the
 * rest, a separate chunk, is loading.
 */
import { el, iconButton } from '../base/dom.js';
import type { Find } from './find.js';
import type { Transcript } from './transcript.js';

export function openOnFindKey(scroller: HTMLElement, transcript: Transcript): void {
  const box = el('input', { class: 'find-words', type: 'text', 'aria-label': 'Find in the conversation', placeholder: 'Find' });
  const count = el('span', { class: 'find-count', role: 'status' });
  const bar = el('div', { class: 'find-bar', role: 'search' }, box, count);
  let before: Element | null = null;
  let find: Promise<Find | undefined> | undefined;

  const load = (): Promise<Find | undefined> =>
    import('./find.js').then(
      ({ startFind }) => startFind({ bar, box, count, transcript, close, button: iconButton }),
      (error: unknown) => {
        reportError(error);
        count.textContent = "Couldn't load Find";
        // The next key press tries again.
        find = undefined;
        return undefined;
      },
    );

  function close(): void {
    bar.remove();
    box.value = '';
    void find?.then((loaded) => loaded?.search());
    if (before instanceof HTMLElement) before.focus();
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    event.preventDefault();
    // VS Code also gets the keys of a webview, and would open the find widget of a text editor.
    event.stopPropagation();
    if (document.activeElement !== box) before = document.activeElement;
    // Focused at once, because the next key press belongs here.
    if (!bar.isConnected) scroller.parentElement?.append(bar);
    box.focus();
    box.select();
    find ??= load();
  };
  // Before the listener of VS Code, which is on the same window.
  window.addEventListener('keydown', onKeyDown, { capture: true });
  bar.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    close();
  });
}
