/**
 * What printable keys mean while a prompt has the focus. A digit chooses, unless it belongs to a message: whoever has just sent one may go on
 * writing when the prompt appears, and must neither decide it nor lose what was typed.
 */
import { useEffect, useRef } from 'preact/hooks';
import { isMeantForPage } from './presses.js';

/** How long a digit waits before it decides: with another key, it begins a word or a number. */
const pauseMs = 300;
/** For this time after another key, the user is writing, even where there is nothing to write in. */
const writingMs = 1_000;

export interface TypedKeyOptions {
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
