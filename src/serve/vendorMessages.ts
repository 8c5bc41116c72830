/**
 * Passes messages whose methods begin with `_` on between the client and the agent, in both directions and unchanged: only those two know
 * what they mean.
 */
import { type AgentConnection, RequestError } from '@agentclientprotocol/sdk';
import { HostError, type Logger, toHostError, type VendorMessages } from '../core/index.js';

/** How many messages of the agent wait for the client to initialize. */
const mostHeld = 1_000;

/** What the agent sends to the client. It waits until the client has initialized, and knows the session that it is about. */
export class VendorMessagesToClient implements VendorMessages {
  readonly #client: () => AgentConnection['client'];
  readonly #whenKnown: (params: unknown, send: () => void) => void;
  readonly #log: Logger;
  #held: (() => void)[] | undefined = [];

  /** @param whenKnown runs at once, or when the client knows the session that the params name */
  constructor(client: () => AgentConnection['client'], whenKnown: (params: unknown, send: () => void) => void, log: Logger) {
    this.#client = client;
    this.#whenKnown = whenKnown;
    this.#log = log;
  }

  /** The client has its answer to `initialize`. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const send of held) send();
  }

  notify(method: string, params: unknown): void {
    const isSent = this.#send(
      params,
      () =>
        void this.#client()
          .notify(method, params)
          .catch(() => {}),
    );
    if (!isSent) this.#log.debug('Not sent, because the client has not initialized', { method });
  }

  request(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const gone = (): void => reject(new HostError('cancelled', { reason: 'request', method }));
      signal.addEventListener('abort', gone, { once: true });
      const isSent = this.#send(params, () => {
        if (signal.aborted) return;
        const answer = this.#client().request(method, params, { cancellationSignal: signal, stopWaitingOnCancel: true });
        answer.then(resolve, (error: unknown) => reject(toFailure(method, error))).finally(() => signal.removeEventListener('abort', gone));
      });
      if (!isSent) reject(new HostError('queue_full'));
    });
  }

  /** @returns false if too much waits */
  #send(params: unknown, send: () => void): boolean {
    const whenKnown = (): void => this.#whenKnown(params, send);
    if (this.#held === undefined) whenKnown();
    else if (this.#held.length >= mostHeld) return false;
    else this.#held.push(whenKnown);
    return true;
  }
}

function toFailure(method: string, error: unknown): HostError {
  if (!(error instanceof RequestError)) return toHostError(error);
  const { code, message, data } = error;
  return new HostError('request_failed', { method, code, message, ...(data !== undefined && { data }) }, { cause: error });
}

/** @throws RequestError the error of the agent as it is */
export async function askAgent(vendor: VendorMessages, method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
  try {
    return await vendor.request(method, params ?? {}, signal);
  } catch (thrown) {
    const { code: ours, params: of } = toHostError(thrown);
    const { code, message, data } = of;
    if (ours === 'request_failed' && typeof code === 'number')
      throw new RequestError(code, typeof message === 'string' ? message : '', data);
    throw thrown;
  }
}
