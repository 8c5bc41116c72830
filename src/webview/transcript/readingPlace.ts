/** Where the reader of a conversation is, while another one is on the page, or the page is thrown away. */
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
  /** After a snapshot: back to where the reader was, or to the end. */
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
  // The last moment in which a page that is about to be hidden can be measured.
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
