import type { Fields } from './schema/lenient.js';

/**
 * Updates for sessions that are not known yet. An agent may tell of a session before the answer that reveals its id
 * (agentao with `--resume` replays the whole conversation then). Kept while a session is being opened, in the order of arrival.
 */
export class EarlyUpdates {
  readonly #limit: number;
  #updates: { readonly sessionId: string; readonly update: Fields }[] = [];

  /** @param limit beyond it nothing more is kept: an agent that invents sessions must not fill the memory */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @returns false when there is no room */
  keep(sessionId: string, update: Fields): boolean {
    if (this.#updates.length >= this.#limit) return false;
    this.#updates.push({ sessionId, update });
    return true;
  }

  take(sessionId: string): readonly Fields[] {
    const taken = this.#updates.filter((entry) => entry.sessionId === sessionId).map((entry) => entry.update);
    this.#updates = this.#updates.filter((entry) => entry.sessionId !== sessionId);
    return taken;
  }

  /** @returns how many nobody claimed */
  clear(): number {
    const unclaimed = this.#updates.length;
    this.#updates = [];
    return unclaimed;
  }
}
