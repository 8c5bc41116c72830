import type { AnyMessage } from '@agentclientprotocol/sdk';

/** No editor waits for so many answers at once. */
const limit = 256;

/** Counts the answers that the client has yet to receive. */
export class OpenAnswers {
  #count = 0;
  #onFew = (): void => {};
  #few: Promise<void> = Promise.resolve();

  received(message: AnyMessage): void {
    if (!isAnswered(message)) return;
    this.#count++;
    if (this.#count === limit + 1) this.#few = new Promise((resolve) => (this.#onFew = resolve));
  }

  sent(message: AnyMessage): void {
    if ('method' in message || this.#count === 0) return;
    this.#count--;
    if (this.#count === limit) this.#onFew();
  }

  /** Resolves while there are few. */
  whenFew(): Promise<void> {
    return this.#few;
  }
}

/** The SDK answers each request, and everything that is not a message. */
function isAnswered(message: object): boolean {
  if ('method' in message)
    return 'id' in message || typeof message.method !== 'string' || !('jsonrpc' in message && message.jsonrpc === '2.0');
  return !('id' in message || 'result' in message || 'error' in message);
}
