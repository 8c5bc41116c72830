import type { CancelTarget, FrameId } from './frameDescriber.js';
import type { RequestRecord } from './requestLog.js';

export type OpenRequest = { -readonly [Key in keyof RequestRecord]: RequestRecord[Key] };

/** An agent may send requests endlessly and forget every response. */
const openLimit = 1000;

/** Requests of one side that wait for their response, oldest first. */
export class OpenRequests {
  readonly #byId = new Map<FrameId, OpenRequest>();
  /** The requests of a protocol without ids. */
  readonly #inOrder: OpenRequest[] = [];

  get isEmpty(): boolean {
    return this.#byId.size === 0 && this.#inOrder.length === 0;
  }

  add(request: OpenRequest): void {
    if (request.id === undefined) {
      this.#inOrder.push(request);
      if (this.#inOrder.length > openLimit) this.#inOrder.shift();
      return;
    }
    this.#byId.set(request.id, request);
    const oldest = this.#byId.size > openLimit ? this.#byId.keys().next().value : undefined;
    if (oldest !== undefined) this.#byId.delete(oldest);
  }

  /** Removes and returns the request that a response with this id, or without an id, answers. */
  take(id: FrameId | undefined): OpenRequest | undefined {
    if (id === undefined) return this.#inOrder.shift();
    const request = this.#byId.get(id);
    this.#byId.delete(id);
    return request;
  }

  find(target: CancelTarget): OpenRequest | undefined {
    if ('id' in target) return this.#byId.get(target.id);
    return [...this.#byId.values(), ...this.#inOrder].find(
      ({ method, session, outcome }) => outcome === 'open' && method === target.method && session === target.session,
    );
  }

  /**
   * Removes all requests.
   * @returns the removed ones
   */
  clear(): readonly OpenRequest[] {
    const all = [...this.#byId.values(), ...this.#inOrder];
    this.#byId.clear();
    this.#inOrder.length = 0;
    return all;
  }
}
