/** A timer that is this late fired after the machine slept or the process was stopped. Nothing could have arrived in the meantime. */
const lateMs = 5_000;
/** Node's timers support no longer wait. A longer limit (24 days) has no effect. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Acts after this time. Time during which the machine slept does not count.
 * @returns call this to prevent that
 */
export function startDeadline(limitMs: number, act: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    const dueAt = Date.now() + limitMs;
    timer = setTimeout(() => (Date.now() - dueAt >= lateMs ? wait() : act()), limitMs);
  };
  if (limitMs <= maxTimerMs) wait();
  return () => clearTimeout(timer);
}
