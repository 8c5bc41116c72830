/** Ends a wait: after a time, with or without the time that the machine slept, or at a signal. What was waited for goes on. */

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

/**
 * @returns what the promise resolves to, or undefined if that takes longer
 * @throws what the promise rejects with
 */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** @throws `reason()` as soon as the signal is aborted, or what the promise rejects with before */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined, reason: () => Error): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(reason());
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
