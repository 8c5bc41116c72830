import { startDeadline } from '../base/deadline.js';
import { HostError } from '../base/errors.js';
import type { Event } from '../base/event.js';

/** For whoever is active again and again, the time begins anew until this many times of it have passed. */
const longestExtension = 10;

export interface Limits {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** A sign that the answer is being prepared: the time begins anew, but at most ten times `timeoutMs` in all. Not with `onHold`. */
  readonly onProgress?: Event<unknown>;
  /** Stops the time with true; it begins anew with false. */
  readonly onHold?: Event<boolean>;
}

/**
 * Waits for an answer no longer than the limits allow; time during which the machine slept does not count.
 * @param onGiveUp is called with the reason when this stops waiting
 * @throws HostError `request_timeout`, `cancelled`, or what `answer` rejects with
 */
export function withTimeout<T>(answer: Promise<T>, what: string, limits: Limits, onGiveUp: (reason: HostError) => void): Promise<T> {
  const { timeoutMs, signal, onProgress, onHold } = limits;
  return new Promise<T>((resolve, reject) => {
    let stopDeadline = (): void => {};
    const settle = (): void => {
      stopDeadline();
      progress?.dispose();
      hold?.dispose();
      signal?.removeEventListener('abort', onAbort);
    };
    const giveUp = (error: HostError): void => {
      settle();
      reject(error);
      onGiveUp(error);
    };
    const onAbort = (): void => giveUp(new HostError('cancelled', { reason: 'request', method: what }));
    const begin = (limitMs: number): void => {
      stopDeadline();
      stopDeadline = startDeadline(limitMs, () => giveUp(new HostError('request_timeout', { method: what, timeoutMs: limitMs })));
    };
    if (timeoutMs !== undefined) begin(timeoutMs);
    const latestAt = Date.now() + (timeoutMs ?? 0) * (longestExtension - 1);
    const progress = timeoutMs === undefined ? undefined : onProgress?.(() => void (Date.now() < latestAt && begin(timeoutMs)));
    const hold = timeoutMs === undefined ? undefined : onHold?.((isHeld) => (isHeld ? stopDeadline() : begin(timeoutMs)));
    signal?.addEventListener('abort', onAbort, { once: true });
    answer.finally(settle).then(resolve, reject);
  });
}
