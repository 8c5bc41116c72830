/** When the user typed in this page, and whether a prompt may take the keyboard focus. */

/** After this pause, the user is no longer typing. */
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

/** Call this when the typed text was sent, so that typing has ended. */
export function forgetTyping(): void {
  lastTypedAt = -Infinity;
}

/** Whether the user has typed since `at`, in the time of `performance.now`. */
export function isTypedSince(at: number): boolean {
  return lastTypedAt >= at;
}

export function isTextField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLInputElement && target.type === 'text') ||
    target instanceof HTMLSelectElement
  );
}

/** Whether the user is in this page and would not lose anything: no text is unfinished, and nothing was typed just now. */
export function mayTakeFocus(): boolean {
  if (!document.hasFocus()) return false;
  const active = document.activeElement;
  if (!(active instanceof HTMLTextAreaElement || active instanceof HTMLInputElement)) return true;
  return active.value === '' && !isTypedSince(performance.now() - typingPauseMs);
}
