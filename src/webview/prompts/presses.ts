/**
 * Records when keys and buttons were pressed. A press that began before a prompt could be decided decides nothing, and a press that decided
 * has no further effect. Neither does a key after the editor gave the page the focus, for example because something else was closed: the
 * user may not have noticed, and may be typing something else.
 */
import { useEffect, useRef } from 'preact/hooks';
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
function isMeantForPage(): boolean {
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

// What printable keys mean while a prompt has the focus. A digit chooses, unless it belongs to a message: whoever has just sent one may go on
// writing when the prompt appears, and must neither decide it nor lose what was typed.

/** How long a digit waits before it decides: with another key, it begins a word or a number. */
const pauseMs = 300;
/** For this time after another key, the user is writing, even where there is nothing to write in. */
const writingMs = 1_000;

interface TypedKeyOptions {
  /** Absent where digits choose nothing and belong to the message. @param index 0-based */
  readonly onDigit: ((index: number) => void) | undefined;
  /** Digits have an effect already. */
  readonly armed: boolean;
  /** A digit only marks a choice; otherwise it decides the prompt. */
  readonly digitsMark: boolean | undefined;
  /** Continues the message of the user in the composer. Absent where there is none. */
  readonly write: ((text: string) => void) | undefined;
}

interface Waiting {
  readonly digits: string;
  readonly timer: ReturnType<typeof setTimeout>;
  /** Absent if the digit has already marked its choice. */
  readonly decide: (() => void) | undefined;
}

/** @returns a function that handles a key outside of text fields, and returns whether the key had or will have an effect */
export function useTypedKeys(): (event: KeyboardEvent, options: TypedKeyOptions) => boolean {
  const waiting = useRef<Waiting | undefined>(undefined);
  const wroteAt = useRef(-Infinity);
  const takeWaiting = (): string => {
    const before = waiting.current;
    clearTimeout(before?.timer);
    waiting.current = undefined;
    wroteAt.current = -Infinity;
    return before?.digits ?? '';
  };
  useEffect(() => {
    // Whoever clicks has chosen something else.
    const kinds = ['blur', 'pointerdown'] as const;
    for (const kind of kinds) window.addEventListener(kind, takeWaiting);
    return () => {
      for (const kind of kinds) window.removeEventListener(kind, takeWaiting);
      takeWaiting();
    };
  }, []);
  const onWritten = (key: string, write: TypedKeyOptions['write']): boolean => {
    const text = takeWaiting() + key;
    wroteAt.current = performance.now();
    write?.(text);
    // A space between two words presses no button.
    return write !== undefined || key === ' ';
  };
  return ({ key }, { onDigit, armed, digitsMark, write }) => {
    const before = waiting.current;
    const decide = before?.decide;
    if (key === 'Enter' && decide !== undefined) {
      decide();
      return true;
    }
    if (key === 'Escape' || key === 'Backspace') takeWaiting();
    const isDigit = /^[1-9]$/.test(key);
    if (!isMeantForPage()) return isDigit;
    const isWriting = performance.now() - wroteAt.current < writingMs;
    // A space alone scrolls, or presses a button.
    if (key.length !== 1 || (key === ' ' && before === undefined && !isWriting)) return false;
    if (!isDigit || onDigit === undefined || isWriting || decide !== undefined) return onWritten(key, write);
    const digits = takeWaiting() + key;
    const choose = (): void => {
      takeWaiting();
      if (armed) onDigit(Number(key) - 1);
    };
    if (digitsMark) choose();
    waiting.current = { digits, timer: setTimeout(digitsMark ? takeWaiting : choose, pauseMs), decide: digitsMark ? undefined : choose };
    return true;
  };
}
