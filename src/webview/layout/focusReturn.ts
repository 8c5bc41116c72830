import { useCallback, useRef } from 'preact/hooks';

/** For a card that disappears when it is decided: moves the keyboard focus to the composer instead of the top of the page. */
export function useFocusReturn(): (card: HTMLElement | null) => void {
  const shown = useRef<HTMLElement | null>(null);
  return useCallback((card: HTMLElement | null) => {
    // Called before the card leaves the page, while it still has the focus.
    if (card === null && shown.current?.contains(document.activeElement) === true) {
      setTimeout(() => {
        if (document.activeElement === document.body) document.querySelector<HTMLElement>('.message')?.focus();
      });
    }
    shown.current = card;
  }, []);
}
