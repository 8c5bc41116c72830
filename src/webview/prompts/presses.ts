/**
 * Records when keys and buttons were pressed. A press that began before a prompt could be decided decides nothing, and a press that decided
 * has no further effect. Neither does a key after the editor gave the page the focus, for example because something else was closed: the
 * user may not have noticed, and may be typing something else.
 */
import { isTextField } from '../base/typing.js';

let lastPressAt: number | undefined;
/** Since the page got the focus, the user has clicked in it, moved in it with Tab, written a message, or asked for the prompts. */
let isTurnedTo = true;
let isPointerDown = false;
/** The user has asked for the prompts, and the focus may follow. */
let isFocusAwaited = false;
const held = new Set<string>();
/** Keys that have decided something and are still held: what they repeat has no effect. */
const spent = new Set<string>();

export function watchPresses(): void {
  const options = { capture: true };
  document.addEventListener('keydown', onKeyDown, options);
  document.addEventListener('keyup', ({ code }) => release(code), options);
  document.addEventListener('pointerdown', onPointerDown, options);
  for (const end of ['pointerup', 'pointercancel']) document.addEventListener(end, () => (isPointerDown = false), options);
  window.addEventListener('focus', () => {
    // A click into the page gives it the focus, too.
    isTurnedTo &&= isPointerDown || isFocusAwaited;
    isFocusAwaited = false;
  });
  // A click that a program triggers, such as assistive technology, has no press of its own.
  document.addEventListener('click', () => setTimeout(() => (lastPressAt = undefined)), options);
  // Keys and buttons may then be released elsewhere.
  window.addEventListener('blur', () => {
    isPointerDown = false;
    isFocusAwaited = false;
    held.clear();
    spent.clear();
  });
}

/** Whether the current event began after `at`, in the time of `performance.now`, and is meant for this page. */
export function isPressedSince(at: number): boolean {
  return lastPressAt === undefined || (isTurnedTo && lastPressAt >= at);
}

/** Whether the user has turned to this page, so that the current key is meant for it. */
export function isMeantForPage(): boolean {
  return isTurnedTo;
}

/** Call this when the user has asked for the prompts. The page may get the focus for that later. */
export function turnToPrompts(): void {
  isTurnedTo = true;
  isFocusAwaited = true;
}

/** Call this when the keys that are held down have decided something. */
export function spendHeldKeys(): void {
  for (const code of held) spent.add(code);
}

function onPointerDown(): void {
  lastPressAt = performance.now();
  isTurnedTo = true;
  isPointerDown = true;
}

/** Whether the key visibly moves the focus, or writes a message. Arrow keys do neither: the user may believe to be in a file. */
function turns({ key, target }: KeyboardEvent): boolean {
  return key === 'Tab' || (isTextField(target) && target instanceof Element && target.closest('.prompt') === null);
}

function onKeyDown(event: KeyboardEvent): void {
  const { code, repeat } = event;
  isTurnedTo ||= turns(event);
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
