import type { SessionEvent } from '../../core/index.js';

/** Short names for the agent's requests, in the order in which they are asked here: a program may answer `ask1` before it is asked. */
export class RequestNames {
  readonly #names = new Map<string, string>();
  readonly #ids = new Map<string, string>();

  /** Returns the event with the name of its request in place of the ID. */
  named(event: SessionEvent): SessionEvent {
    if (event.type === 'request_opened') return { ...event, request: { ...event.request, id: this.#nameOf(event.request.id) } };
    return event.type === 'request_closed' ? { ...event, requestId: this.#nameOf(event.requestId) } : event;
  }

  /** @returns the ID of a request; undefined for a name that no request has */
  idOf(name: string): string | undefined {
    return this.#ids.get(name);
  }

  #nameOf(id: string): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const name = `ask${this.#names.size + 1}`;
    this.#names.set(id, name);
    this.#ids.set(name, id);
    return name;
  }
}
