/** When keys and buttons were pressed. A press that began before a prompt could be decided decides nothing, and one that decided does nothing more. */

let lastPressAt: number | undefined;
const held = new Set<string>();
/** Held since they decided: what they repeat is meant for nothing on screen. */
const spent = new Set<string>();

export function watchPresses(): void {
  const options = { capture: true };
  document.addEventListener('keydown', onKeyDown, options);
  document.addEventListener('keyup', ({ code }) => release(code), options);
  document.addEventListener('pointerdown', () => (lastPressAt = performance.now()), options);
  // What is pressed by a program, as assistive technology does, has no press of its own.
  document.addEventListener('click', () => setTimeout(() => (lastPressAt = undefined)), options);
  // Keys are released elsewhere then.
  window.addEventListener('blur', () => {
    held.clear();
    spent.clear();
  });
}

/** What is happening began after `at`, as `performance.now` tells it. */
export function isPressedSince(at: number): boolean {
  return lastPressAt === undefined || lastPressAt >= at;
}

/** The keys that are held down have decided. */
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
