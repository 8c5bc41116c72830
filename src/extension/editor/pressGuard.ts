/**
 * Commands don't say when their key was pressed, so this is longer than the time after which a key that is held down repeats itself (at most
 * one second on Windows and Linux).
 */
const guardMs = 1_100;

/** Lets nothing through that may have been pressed before the user saw what it decides. */
export interface PressGuard {
  /** What is decided is not visible. */
  close(): void;
  /** It has become visible, or has changed. */
  shown(): void;
  /** @returns whether what was pressed now counts */
  passes(): boolean;
}

/** @param now in milliseconds, never goes back */
export function createPressGuard(now: () => number): PressGuard {
  let opensAt = Infinity;
  return {
    close() {
      opensAt = Infinity;
    },
    shown() {
      opensAt = now() + guardMs;
    },
    passes() {
      const isOpen = now() >= opensAt;
      // A key that is held down repeats the command: it must be released for as long.
      if (!isOpen && opensAt !== Infinity) opensAt = now() + guardMs;
      return isOpen;
    },
  };
}
