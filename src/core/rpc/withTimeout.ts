import { HostError } from '../base/errors.js';

export interface Limits {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** A timer that is this late fired after the machine slept or the process was stopped. No answer could have arrived in the meantime. */
const lateMs = 5_000;
/** Node's timers support no longer wait. A longer limit (24 days) has no effect. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Waits for an answer no longer than the limits allow; time during which the machine slept does not count.
 * @param onGiveUp is called with the reason when this stops waiting
 * @throws HostError `request_timeout`, `cancelled`, or what `answer` rejects with
 */
export function withTimeout<T>(answer: Promise<T>, what: string, limits: Limits, onGiveUp: (reason: HostError) => void): Promise<T> {
  const { timeoutMs, signal } = limits;
  return new Promise<T>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const giveUp = (error: HostError): void => {
      settle();
      reject(error);
      onGiveUp(error);
    };
    const onAbort = (): void => giveUp(new HostError('cancelled', { reason: 'request', method: what }));
    const wait = (limitMs: number): void => {
      const dueAt = Date.now() + limitMs;
      timer = setTimeout(() => {
        if (Date.now() - dueAt >= lateMs) return wait(limitMs);
        giveUp(new HostError('request_timeout', { method: what, timeoutMs: limitMs }));
      }, limitMs);
    };
    if (timeoutMs !== undefined && timeoutMs <= maxTimerMs) wait(timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    answer.finally(settle).then(resolve, reject);
  });
}
