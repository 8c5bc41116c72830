import { useCallback, useRef } from 'preact/hooks';

/** For a card that goes when it is decided: the keyboard goes on in the composer then, and not from the top of the page. */
export function useFocusReturn(): (card: HTMLElement | null) => void {
  const shown = useRef<HTMLElement | null>(null);
  return useCallback((card: HTMLElement | null) => {
    // Told before the card leaves the page, while it still holds the focus.
    if (card === null && shown.current?.contains(document.activeElement) === true) {
      setTimeout(() => {
        if (document.activeElement === document.body) document.querySelector<HTMLElement>('.message')?.focus();
      });
    }
    shown.current = card;
  }, []);
}
