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
  /** Absent while digits have no effect. @param index 0-based */
  readonly onDigit: ((index: number) => void) | undefined;
  /** A digit decides the prompt; otherwise it only marks a choice. */
  readonly decides: boolean;
  /** Continues the message of the user in the composer. Absent where there is none. */
  readonly write: ((text: string) => void) | undefined;
}

interface Waiting {
  readonly digit: string;
  readonly timer: ReturnType<typeof setTimeout>;
}

/**
 * @param options those of the last rendering count, also for a digit that waits
 * @returns a function that handles a key outside of text fields, and returns whether the key had or will have an effect
 */
export function useTypedKeys(options: TypedKeyOptions): (event: KeyboardEvent) => boolean {
  const latest = useRef(options);
  latest.current = options;
  const waiting = useRef<Waiting | undefined>(undefined);
  const wroteAt = useRef(-Infinity);
  const takeWaiting = (): string => {
    clearTimeout(waiting.current?.timer);
    const { digit = '' } = waiting.current ?? {};
    waiting.current = undefined;
    return digit;
  };
  useEffect(() => {
    window.addEventListener('blur', takeWaiting);
    return () => {
      window.removeEventListener('blur', takeWaiting);
      takeWaiting();
    };
  }, []);
  const onWritten = (key: string): boolean => {
    const { write } = latest.current;
    const text = takeWaiting() + key;
    wroteAt.current = performance.now();
    write?.(text);
    return write !== undefined;
  };
  return ({ key }) => {
    const { onDigit, decides } = latest.current;
    if (key === 'Escape') takeWaiting();
    // A space alone scrolls, or presses a button.
    if (key.length !== 1 || (key === ' ' && waiting.current === undefined)) return false;
    if (!/^[1-9]$/.test(key) || waiting.current !== undefined) return onWritten(key);
    const isWriting = performance.now() - wroteAt.current < writingMs;
    if (onDigit === undefined || isWriting || !isMeantForPage()) return true;
    const choose = (): void => {
      waiting.current = undefined;
      latest.current.onDigit?.(Number(key) - 1);
    };
    if (decides) waiting.current = { digit: key, timer: setTimeout(choose, pauseMs) };
    else choose();
    return true;
  };
}
