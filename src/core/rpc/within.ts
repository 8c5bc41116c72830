import { HostError } from '../base/errors.js';

export interface Limits {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Waits for an answer no longer than the limits allow.
 * @param onGiveUp called with the reason when the answer is not waited for any more
 * @throws HostError `request_timeout`, `cancelled`, or what `answer` rejects with
 */
export function within<T>(answer: Promise<T>, what: string, limits: Limits, onGiveUp: (reason: HostError) => void): Promise<T> {
  const { timeoutMs, signal } = limits;
  return new Promise<T>((resolve, reject) => {
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const giveUp = (error: HostError): void => {
      settle();
      reject(error);
      onGiveUp(error);
    };
    const onAbort = (): void => giveUp(new HostError('cancelled', `${what} was cancelled.`));
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => {
      giveUp(new HostError('request_timeout', `The agent did not answer ${what} within ${timeoutMs / 1000} seconds.`, { data: { method: what, timeoutMs } }));
    }, timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    answer.finally(settle).then(resolve, reject);
  });
}
