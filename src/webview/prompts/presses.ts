/**
 * Records when keys and buttons were pressed. A press that began before a prompt could be decided decides nothing, and a press that decided
 * has no further effect.
 */

let lastPressAt: number | undefined;
const held = new Set<string>();
/** Keys that have decided something and are still held: what they repeat has no effect. */
const spent = new Set<string>();

export function watchPresses(): void {
  const options = { capture: true };
  document.addEventListener('keydown', onKeyDown, options);
  document.addEventListener('keyup', ({ code }) => release(code), options);
  document.addEventListener('pointerdown', () => (lastPressAt = performance.now()), options);
  // A click that a program triggers, such as assistive technology, has no press of its own.
  document.addEventListener('click', () => setTimeout(() => (lastPressAt = undefined)), options);
  // Keys may then be released elsewhere.
  window.addEventListener('blur', () => {
    held.clear();
    spent.clear();
  });
}

/** Whether the current event began after `at`, in the time of `performance.now`. */
export function isPressedSince(at: number): boolean {
  return lastPressAt === undefined || lastPressAt >= at;
}

/** Call this when the keys that are held down have decided something. */
export function spendHeldKeys(): void {
  for (const code of held) spent.add(code);
}

function onKeyDown(event: KeyboardEvent): void {
  const { code, repeat } = event;
  if (!repeat) {
    spent.delete(code);
    held.add(code);
    lastPressAt = performance.now();
  } else if (spent.has(code)) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}

function release(code: string): void {
  held.delete(code);
  spent.delete(code);
}
