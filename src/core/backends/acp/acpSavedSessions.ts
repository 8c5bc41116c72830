import { isAbsolute } from 'node:path';
import type { Clock } from '../../base/clock.js';
import { toHostError } from '../../base/errors.js';
import { withoutAbsent } from '../../base/fields.js';
import type { ListEnd, SavedList, SavedSession, SavedSessions } from '../agentBackend.js';
import { type AcpCalls, isUnknownSession } from './acpCalls.js';
import { requests } from './schema/methods.js';

/** More than that is no list that a person reads. */
const maxSessions = 1_000;
/** Some agents have pages of ten. */
const maxPages = 200;

export interface AcpSavedSessionsParts {
  readonly calls: AcpCalls;
  readonly clock: Clock;
  /** Whether the agent deletes sessions. */
  readonly deletes: boolean;
}

/** The sessions that an agent has saved: `session/list`, page after page, and `session/delete`. */
export class AcpSavedSessions implements SavedSessions {
  readonly remove?: (sessionId: string) => Promise<void>;
  readonly #calls: AcpCalls;
  readonly #clock: Clock;

  constructor({ calls, clock, deletes }: AcpSavedSessionsParts) {
    this.#calls = calls;
    this.#clock = clock;
    if (deletes) this.remove = (sessionId) => this.#remove(sessionId);
  }

  async list({ cwd }: { readonly cwd?: string } = {}): Promise<SavedList> {
    const calls = this.#calls;
    const { queryMs } = calls.deadlines;
    const until = this.#clock.now() + queryMs;
    const byId = new Map<string, SavedSession>();
    const cursors = new Set<string>();
    let unreadable = 0;
    let end: ListEnd | undefined;
    for (let cursor: string | undefined; ; ) {
      const leftMs = until - this.#clock.now();
      // What is known by then is better than an error.
      const isFirst = cursor === undefined;
      const page = await calls
        .request(requests.listSessions, withoutAbsent({ cwd, cursor }), { timeoutMs: isFirst ? queryMs : Math.max(1, leftMs) })
        .catch((thrown: unknown) => {
          if (isFirst || toHostError(thrown).code !== 'request_timeout') throw thrown;
          return undefined;
        });
      for (const entry of page?.sessions ?? []) {
        if (entry === undefined || !isAbsolute(entry.cwd)) unreadable++;
        else if (byId.size < maxSessions || byId.has(entry.sessionId)) {
          if (!byId.has(entry.sessionId)) byId.set(entry.sessionId, withoutAbsent(entry));
        } else end = 'limit';
      }
      cursor = page?.nextCursor;
      if (page === undefined) end = 'slow';
      else if (cursor !== undefined && cursors.has(cursor)) end = 'repeated';
      else if (cursor !== undefined && (byId.size >= maxSessions || cursors.size + 1 >= maxPages)) end = 'limit';
      if (end !== undefined || cursor === undefined) break;
      cursors.add(cursor);
    }
    const sessions = [...byId.values()].sort((one, other) => (other.updatedAt ?? -Infinity) - (one.updatedAt ?? -Infinity) || 0);
    return { sessions, unreadable, ...(end && { end }) };
  }

  async #remove(sessionId: string): Promise<void> {
    try {
      await this.#calls.request(requests.deleteSession, { sessionId }, { timeoutMs: this.#calls.deadlines.queryMs });
    } catch (thrown) {
      if (!isUnknownSession(toHostError(thrown))) throw thrown;
    }
  }
}
