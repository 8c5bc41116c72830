/** Whether the user is in this page, and whether a prompt may take the keyboard. */

/** A pause in typing that is no longer typing. */
const typingPauseMs = 1500;
let lastTypedAt = -Infinity;

export function watchTyping(): void {
  document.addEventListener(
    'keydown',
    (event) => {
      if (isTextField(event.target)) lastTypedAt = performance.now();
    },
    true,
  );
}

/** What was typed was sent: it is finished. */
export function forgetTyping(): void {
  lastTypedAt = -Infinity;
}

export function isTextField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLInputElement && target.type === 'text') ||
    target instanceof HTMLSelectElement
  );
}

/** The user is here and would not lose a word: nothing half-written, nothing typed just now. */
export function mayTakeFocus(): boolean {
  if (!document.hasFocus()) return false;
  const active = document.activeElement;
  if (!(active instanceof HTMLTextAreaElement || active instanceof HTMLInputElement)) return true;
  return active.value === '' && performance.now() - lastTypedAt > typingPauseMs;
}
