/** Remembers the position of the user in a conversation while another one is on the page, or while the page does not exist. */
import type { PageMemory } from '../base/pageState.js';
import type { StickToEnd } from './stickToEnd.js';
import type { Transcript } from './transcript.js';

const keepDelayMs = 300;

export interface ReadingPlaceParts {
  readonly scroller: HTMLElement;
  readonly transcript: Transcript;
  readonly stick: StickToEnd;
  readonly memory: PageMemory;
}

export interface KeptReadingPlace {
  keep(): void;
  /** Call this after a snapshot: scrolls to the last position of the user, or to the end. */
  restore(): void;
}

export function keepReadingPlace({ scroller, transcript, stick, memory }: ReadingPlaceParts): KeptReadingPlace {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const keep = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const place = stick.atEnd.value ? undefined : transcript.place();
    if (place !== undefined || memory.state.place !== undefined) memory.change({ place });
  };
  scroller.addEventListener(
    'scroll',
    () => {
      timer ??= setTimeout(keep, keepDelayMs);
    },
    { passive: true },
  );
  // A page that is about to be hidden can be measured now for the last time.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden' && timer !== undefined) keep();
  });
  return {
    keep,
    restore() {
      const { place } = memory.state;
      if (place !== undefined && transcript.goTo(place)) stick.release();
      else stick.toEnd();
    },
  };
}
