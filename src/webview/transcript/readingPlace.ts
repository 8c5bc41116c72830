/**
 * Where the user is in the conversation. At its end, the scroller stays there; once the user has scrolled away, it is left alone, and the
 * place is remembered.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { PageMemory } from '../base/pageState.js';
import type { Transcript } from './transcript.js';

const nearPixels = 40;

/** Something that the user opened, and how far it was above the visible part then, in pixels. */
interface Opened {
  readonly element: Element;
  readonly above: number;
}

export interface StickToEnd {
  readonly atEnd: ReadonlySignal<boolean>;
  /** The number of items that were added while the user was elsewhere. */
  readonly missed: ReadonlySignal<number>;
  /** Call this after items were added. */
  added(count: number): void;
  toEnd(): void;
  /** Scrolls to the end if the user is there. Only saves time: this happens after each layout anyway. */
  follow(): void;
  /** Call this when the user should stay at another position. */
  release(): void;
}

/**
 * What the user opens stays in sight, however long it is, until they scroll, close it or go to the end.
 *
 * @param content the content of `scroller` that grows
 */
export function stickToEnd(scroller: HTMLElement, content: HTMLElement): StickToEnd {
  const atEnd = signal(true);
  const missed = signal(0);
  atEnd.subscribe(() => (missed.value = 0));
  let [lastTop, lastHeight] = [0, 0];
  let opened: Opened | undefined;
  const above = (element: Element): number => Math.max(0, scroller.getBoundingClientRect().top - element.getBoundingClientRect().top);
  const follow = (): void => {
    if (!atEnd.value) return;
    scroller.scrollTop = scroller.scrollHeight;
    const outOfSight = opened?.element.isConnected === true ? above(opened.element) - opened.above : 0;
    if (outOfSight > 0) {
      scroller.scrollTop -= outOfSight;
      atEnd.value = false;
    }
    lastTop = scroller.scrollTop;
  };
  content.addEventListener(
    'click',
    ({ target }) => {
      const control = target instanceof Element ? target.closest('summary, [aria-expanded], .text-button') : null;
      if (control === null) return;
      const closes = control.getAttribute('aria-expanded') === 'true' || (control.matches('summary') && control.closest('details')?.open);
      // What a button below a text shows is above it.
      const element = control.matches('.text-button') ? (control.closest('.item') ?? control) : control;
      opened = closes === true ? undefined : { element, above: above(element) };
    },
    { capture: true },
  );
  scroller.addEventListener('scroll', () => {
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    const near = scrollHeight - scrollTop - clientHeight < nearPixels;
    // Content that grew since the last frame also creates a distance to the end; only scrolling up comes from the user. It does not while the
    // page gets another size, because text that gets wider needs fewer lines.
    if (near || (scrollTop < lastTop - 1 && clientHeight === lastHeight)) atEnd.value = near;
    if (Math.abs(scrollTop - lastTop) > 1) opened = undefined;
    lastTop = scrollTop;
  });
  // The wheel event precedes the scroll event. Without this, a stream that grows in every frame prevents slow scrolling.
  scroller.addEventListener(
    'wheel',
    ({ deltaY }) => {
      if (deltaY < 0 && scroller.scrollTop > 0) atEnd.value = false;
    },
    { passive: true },
  );
  // Runs after layout and before paint, so that every frame shows the end.
  const observer = new ResizeObserver(() => {
    lastHeight = scroller.clientHeight;
    // What fits has nowhere else to be.
    if (scroller.scrollHeight <= lastHeight) atEnd.value = true;
    follow();
  });
  observer.observe(content);
  observer.observe(scroller);
  return {
    atEnd,
    missed,
    added: (count) => (missed.value = atEnd.value ? 0 : missed.value + count),
    follow,
    toEnd() {
      opened = undefined;
      atEnd.value = true;
      follow();
      // If content shrinks and grows again before the next frame, the observer sees no change of its size, so this observes it again.
      observer.unobserve(content);
      observer.observe(content);
    },
    release() {
      atEnd.value = false;
      lastTop = scroller.scrollTop;
    },
  };
}

// Remembers the position of the user in a conversation while another one is on the page, or while the page does not exist.

const keepDelayMs = 300;

interface ReadingPlaceParts {
  readonly scroller: HTMLElement;
  readonly transcript: Transcript;
  readonly stick: StickToEnd;
  readonly memory: PageMemory;
}

interface KeptReadingPlace {
  keep(): void;
  /** Call this after a snapshot: scrolls to the last position of the user, or to the end. */
  restore(): void;
  /** Call this after items were added: the items of a conversation that is being opened come after its snapshot. */
  restoreAwaited(): void;
  toEnd(): void;
}

export function keepReadingPlace({ scroller, transcript, stick, memory }: ReadingPlaceParts): KeptReadingPlace {
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The conversation on the page has no items yet, so the position of the user is only in the memory. */
  let isAwaited = false;
  const keep = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (isAwaited) return;
    const place = stick.atEnd.value ? undefined : transcript.place();
    if (place !== undefined || memory.state.place !== undefined) memory.change({ place });
  };
  scroller.addEventListener('scroll', () => {
    timer ??= setTimeout(keep, keepDelayMs);
  });
  // A page that is about to be hidden can be measured now for the last time.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden && timer !== undefined) keep();
  });
  const restore = (): void => {
    const { place } = memory.state;
    isAwaited = place !== undefined && transcript.count === 0;
    if (place !== undefined && transcript.goTo(place)) stick.release();
    else stick.toEnd();
  };
  return {
    keep,
    restore,
    restoreAwaited() {
      if (isAwaited) restore();
    },
    toEnd() {
      isAwaited = false;
      stick.toEnd();
    },
  };
}
