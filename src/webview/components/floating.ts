/** Places a list or a panel next to its anchor, in the top layer: no box around the anchor can clip it, and nothing covers it. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

const gapPx = 2;
const edgePx = 4;
/** A side with this much room is good enough; with less, the other side may be better. */
const enoughPx = 160;
/** A taller list is more than users look through. */
const mostPx = 380;
/** If neither side has this much room, it covers its anchor. */
const leastPx = 64;

/** `stretch`: as wide as the anchor. `own`: as wide as its content, aligned with the anchor if there is room. */
type FloatingAlign = 'stretch' | 'own';

/**
 * @param most its limit in CSS pixels
 * @returns the ref for the floating element while it is rendered; its classes must include `floating`
 */
export function useFloating<E extends HTMLElement>(
  anchor: RefObject<HTMLElement | null>,
  align: FloatingAlign,
  most = mostPx,
): RefObject<E | null> {
  const floating = useRef<E>(null);
  useLayoutEffect(() => {
    const [element, beside] = [floating.current, anchor.current];
    if (element === null || beside === null) return undefined;
    element.popover = 'manual';
    element.showPopover();
    const update = (): void => place(element, beside, align, most);
    update();
    const observer = new ResizeObserver(update);
    observer.observe(beside);
    observer.observe(document.documentElement);
    // The box that contains the anchor may scroll too.
    document.addEventListener('scroll', update, { capture: true });
    return () => {
      observer.disconnect();
      document.removeEventListener('scroll', update, { capture: true });
    };
  }, []);
  return floating;
}

/** Calls `onLeave` when the pointer or the focus goes to something else than the floating element and its anchor. */
export function useLeaving(floating: RefObject<HTMLElement | null>, anchor: RefObject<HTMLElement | null>, onLeave: () => void): void {
  // Must run before the user can press anything; an effect after the paint may run after the next press.
  useLayoutEffect(() => {
    // The focus need not come from the floating element, because a box of the editor may have had it in between.
    const kinds = ['pointerdown', 'focusin'];
    const look = ({ target }: Event): void => {
      if (target instanceof Node && [floating, anchor].every(({ current }) => current?.contains(target) !== true)) onLeave();
    };
    for (const kind of kinds) document.addEventListener(kind, look);
    return () => kinds.forEach((kind) => document.removeEventListener(kind, look));
  }, []);
}

/** Whether the user can see the center of the element. */
export function isSeen(element: Element): boolean {
  const { left, top, width, height } = element.getBoundingClientRect();
  return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}

function place(element: HTMLElement, beside: HTMLElement, align: FloatingAlign, most: number): void {
  const anchor = beside.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const top = Math.min(Math.max(anchor.top, 0), clientHeight);
  const bottom = Math.min(Math.max(anchor.bottom, 0), clientHeight);
  const above = top - gapPx - edgePx;
  const below = clientHeight - bottom - gapPx - edgePx;
  const { style } = element;
  style.left = style.right = style.top = style.bottom = 'auto';
  if (Math.max(above, below) < leastPx) {
    style.bottom = `${edgePx}px`;
    style.maxHeight = `${clientHeight - 2 * edgePx}px`;
  } else if (above >= Math.min(enoughPx, element.scrollHeight) || above >= below) {
    style.bottom = `${clientHeight - top + gapPx}px`;
    style.maxHeight = `${Math.min(above, most)}px`;
  } else {
    style.top = `${bottom + gapPx}px`;
    style.maxHeight = `${Math.min(below, most)}px`;
  }
  style.maxWidth = `${clientWidth - 2 * edgePx}px`;
  if (align === 'stretch') {
    style.left = `${anchor.left}px`;
    style.width = `${anchor.width}px`;
  } else {
    style.left = '0';
    style.left = `${Math.max(edgePx, Math.min(anchor.left, clientWidth - edgePx - element.offsetWidth))}px`;
  }
}
