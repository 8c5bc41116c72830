import type { RequestUser } from '../services/hostServices.js';
import type { UserRequestRegistry } from '../services/userRequests.js';
import type { RequestEvent } from '../session/event.js';
import type { CallAsker } from './api.js';

/** What an agent asks before it answers a call that belongs to no open session: to open one, or to sign the user in. */
export class CallRequests {
  readonly #registry: () => UserRequestRegistry;
  /** By what stands for the session in the registry. */
  readonly #askers = new Map<string, CallAsker>();
  #calls = 0;

  constructor(registry: () => UserRequestRegistry) {
    this.#registry = registry;
  }

  /** Makes a call during which the asker shows what the agent asks; without one, nothing is shown. */
  async during<T>(asker: CallAsker | undefined, call: (requestUser: RequestUser | undefined) => Promise<T>): Promise<T> {
    if (asker === undefined) return call(undefined);
    const key = `call-${++this.#calls}`;
    const { until } = asker;
    this.#askers.set(key, asker);
    try {
      return await call((request, signal) =>
        this.#registry().requestUser({ ...request, sessionId: key }, until === undefined ? signal : AbortSignal.any([signal, until])),
      );
    } finally {
      this.#registry().cancelSession(key, 'withdrawn');
      this.#askers.delete(key);
    }
  }

  /** @returns false if the event is about a request in a session */
  emit(key: string, event: RequestEvent): boolean {
    const asker = this.#askers.get(key);
    asker?.onRequest(event.type === 'request_opened' ? { ...event, request: { ...event.request, sessionId: '' } } : event);
    return asker !== undefined;
  }
}
