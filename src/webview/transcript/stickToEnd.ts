/** Keeps a scroller at its end while the reader is there, and leaves it alone once the reader has scrolled away. */
import { signal, type ReadonlySignal } from '@preact/signals';

const nearPixels = 40;

export interface StickToEnd {
  readonly atEnd: ReadonlySignal<boolean>;
  toEnd(): void;
  /** The reader is somewhere else, and stays there. */
  release(): void;
}

/** @param content what grows inside `scroller` */
export function stickToEnd(scroller: HTMLElement, content: HTMLElement): StickToEnd {
  const atEnd = signal(true);
  let lastTop = 0;
  const pin = (): void => {
    if (!atEnd.value) return;
    scroller.scrollTop = scroller.scrollHeight;
    lastTop = scroller.scrollTop;
  };
  scroller.addEventListener(
    'scroll',
    () => {
      const { scrollTop, scrollHeight, clientHeight } = scroller;
      const near = scrollHeight - scrollTop - clientHeight < nearPixels;
      // Content that grew since the last frame also puts a distance to the end; only going up is the reader's doing.
      if (near) atEnd.value = true;
      else if (scrollTop < lastTop - 1) atEnd.value = false;
      lastTop = scrollTop;
    },
    { passive: true },
  );
  // The wheel says it before the scroll does: without this, a stream that grows in every frame wins against a slow finger.
  scroller.addEventListener(
    'wheel',
    ({ deltaY }) => {
      if (deltaY < 0 && scroller.scrollTop > 0) atEnd.value = false;
    },
    { passive: true },
  );
  // After layout and before paint, so that no frame shows the content unpinned.
  const observer = new ResizeObserver(pin);
  observer.observe(content);
  observer.observe(scroller);
  return {
    atEnd,
    toEnd() {
      atEnd.value = true;
      pin();
      // Content that shrank and grows again before the next frame has not changed its size for an observer: it looks anew.
      observer.unobserve(content);
      observer.observe(content);
    },
    release() {
      atEnd.value = false;
      lastTop = scroller.scrollTop;
    },
  };
}
