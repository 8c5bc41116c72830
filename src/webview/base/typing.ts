/** When the user typed or chose in this page, and whether a prompt may take the keyboard focus. */

/** After this pause, the user is no longer typing. */
const typingPauseMs = 1500;
let lastTypedAt = -Infinity;

export function watchTyping(): void {
  const look = ({ target }: Event): void => {
    if (isTextField(target)) lastTypedAt = performance.now();
  };
  // An open list gets no keys: it shows its use when it is opened and when something was chosen.
  for (const kind of ['keydown', 'pointerdown', 'change']) document.addEventListener(kind, look, true);
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

/** Whether the user is in this page and would not lose anything: no text is unfinished, no list is open, and nothing was typed just now. */
export function mayTakeFocus(): boolean {
  if (!document.hasFocus()) return false;
  const active = document.activeElement;
  const isList = active instanceof HTMLSelectElement;
  if (!(isList || active instanceof HTMLTextAreaElement || active instanceof HTMLInputElement)) return true;
  // Only a newer browser than the oldest supported editor has can tell.
  if (isList ? CSS.supports('selector(:open)') && active.matches(':open') : active.value !== '') return false;
  return !isTypedSince(performance.now() - typingPauseMs);
}
