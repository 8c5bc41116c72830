/**
 * Keeps what the user typed when *Stop Turn* is chosen by its keys on Windows, Alt+Backspace, with which Chromium undoes in a text box. The
 * editor gets the keys either way.
 */

/** @param canStop whether the keys apply: without a turn to stop, they still undo */
export function keepTextOnStop(canStop: () => boolean): void {
  if (!navigator.userAgent.includes('Windows')) return;
  let stops = false;
  window.addEventListener('keydown', (event) => {
    if (event.key !== 'Backspace' || !event.altKey || event.shiftKey || event.ctrlKey || event.metaKey) return;
    // The turn may end before the keys are released, and what they repeat is no wish to undo.
    if (!event.repeat) stops = canStop();
    if (stops) event.preventDefault();
  });
}
