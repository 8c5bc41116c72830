import type { AskingSession } from './askingSession.js';
import type { Fields } from './schema/lenient.js';

/** A long conversation that is replayed before its session id is known fits; a flood of invented sessions does not. */
const limit = 10_000;
/** The number of sessions for which dropped updates are counted. */
const sessionLimit = 1_000;

interface Unclaimed {
  readonly updates: Fields[];
  /** Updates that exceeded the limit. */
  missing: { readonly since: number; readonly until: number; readonly events: number } | undefined;
  readonly waiting: ((session: AskingSession | undefined) => void)[];
}

/**
 * Holds updates for sessions whose ids are still unknown. `session/new` names its session in the answer only, and some agents send updates
 * before it (agentao with `--resume` then replays the whole conversation). They are held while such an answer is awaited, in the order of
 * arrival.
 */
export class UnclaimedSessions {
  readonly #bySession = new Map<string, Unclaimed>();
  #updates = 0;

  /**
   * @param at milliseconds since the epoch
   * @returns false if the limit is exceeded; the session reports this when it is claimed
   */
  keep(sessionId: string, update: Fields, at: number): boolean {
    if (this.#updates >= limit) {
      this.#miss(sessionId, at);
      return false;
    }
    this.#updates++;
    this.#of(sessionId).updates.push(update);
    return true;
  }

  /** Resolves with the session once it is claimed, or with undefined if it never will be. */
  whenClaimed(sessionId: string): Promise<AskingSession | undefined> {
    return new Promise((resolve) => this.#of(sessionId).waiting.push(resolve));
  }

  /** Removes and returns those of the held updates that the condition is true of. */
  take(sessionId: string, isMeant: (update: Fields) => boolean): readonly Fields[] {
    const updates = this.#bySession.get(sessionId)?.updates ?? [];
    const taken = updates.filter(isMeant);
    if (taken.length === 0) return taken;
    updates.splice(0, Infinity, ...updates.filter((update) => !isMeant(update)));
    this.#updates -= taken.length;
    return taken;
  }

  /** Passes the held updates to the session, and then resolves `whenClaimed`. */
  claim(sessionId: string, session: AskingSession & { receive(update: Fields): void }): void {
    const unclaimed = this.#bySession.get(sessionId);
    this.#bySession.delete(sessionId);
    this.#updates -= unclaimed?.updates.length ?? 0;
    for (const update of unclaimed?.updates ?? []) session.receive(update);
    if (unclaimed?.missing !== undefined) {
      const params = { ...unclaimed.missing, cause: 'unclaimed' as const };
      session.emit({ type: 'host_notice', at: params.until, severity: 'warning', code: 'events_missing', params });
    }
    for (const resolve of unclaimed?.waiting ?? []) resolve(session);
  }

  /**
   * Drops what will not be claimed.
   * @returns the number of dropped updates
   */
  clear(): number {
    const left = this.#updates;
    for (const { waiting } of this.#bySession.values()) for (const resolve of waiting) resolve(undefined);
    this.#bySession.clear();
    this.#updates = 0;
    return left;
  }

  #miss(sessionId: string, at: number): void {
    if (!this.#bySession.has(sessionId) && this.#bySession.size >= sessionLimit) return;
    const unclaimed = this.#of(sessionId);
    const { since, events } = unclaimed.missing ?? { since: at, events: 0 };
    unclaimed.missing = { since, until: at, events: events + 1 };
  }

  #of(sessionId: string): Unclaimed {
    let unclaimed = this.#bySession.get(sessionId);
    if (unclaimed === undefined) this.#bySession.set(sessionId, (unclaimed = { updates: [], missing: undefined, waiting: [] }));
    return unclaimed;
  }
}
