import { startDeadline } from '../base/deadline.js';
import { HostError } from '../base/errors.js';

export interface Limits {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Waits for an answer no longer than the limits allow; time during which the machine slept does not count.
 * @param onGiveUp is called with the reason when this stops waiting
 * @throws HostError `request_timeout`, `cancelled`, or what `answer` rejects with
 */
export function withTimeout<T>(answer: Promise<T>, what: string, limits: Limits, onGiveUp: (reason: HostError) => void): Promise<T> {
  const { timeoutMs, signal } = limits;
  return new Promise<T>((resolve, reject) => {
    let stopDeadline = (): void => {};
    const settle = (): void => {
      stopDeadline();
      signal?.removeEventListener('abort', onAbort);
    };
    const giveUp = (error: HostError): void => {
      settle();
      reject(error);
      onGiveUp(error);
    };
    const onAbort = (): void => giveUp(new HostError('cancelled', { reason: 'request', method: what }));
    if (timeoutMs !== undefined)
      stopDeadline = startDeadline(timeoutMs, () => giveUp(new HostError('request_timeout', { method: what, timeoutMs })));
    signal?.addEventListener('abort', onAbort, { once: true });
    answer.finally(settle).then(resolve, reject);
  });
}
