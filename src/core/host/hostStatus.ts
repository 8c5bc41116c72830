import { isDeepStrictEqual } from 'node:util';
import { findKnownAgent } from '../agents/knownAgents.js';
import { systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { type HostError, toHostError } from '../base/errors.js';
import { Emitter } from '../base/event.js';
import type { AgentStatus } from './api.js';
import type { HostSession } from './hostSession.js';
import type { HostSessions } from './hostSessions.js';

export interface HostStatusParts {
  readonly sessions: Pick<HostSessions, 'known' | 'awaiting'>;
  readonly isRunning: () => boolean;
  /** Redacted. */
  readonly stderrTail: () => string;
}

/** The state of an agent as users see it. While the agent is running, it follows from the sessions; otherwise `AgentLife` says it. */
export class HostStatus implements Disposable {
  readonly #parts: HostStatusParts;
  readonly #onChange = new Emitter<AgentStatus>();
  #current: AgentStatus = { state: 'stopped' };
  /** What prevents the use of a running agent, for example a missing sign-in. */
  #problem: HostError | undefined;
  /** The number of calls that are opening a session. */
  #opening = 0;
  #disposed = false;

  constructor(parts: HostStatusParts) {
    this.#parts = parts;
  }

  readonly onChange = this.#onChange.event;

  get current(): AgentStatus {
    return this.#current;
  }

  get isOpening(): boolean {
    return this.#opening > 0;
  }

  /** Something changed in a running agent or in one of its sessions. */
  refresh(): void {
    if (this.#parts.isRunning()) this.#set(this.#running());
  }

  /** It is running; what prevented its use counts no more. */
  started(): void {
    this.#problem = undefined;
    this.refresh();
  }

  /** The agent does not run, or not yet. */
  show(status: AgentStatus): void {
    this.#problem = undefined;
    this.#set(status);
  }

  /**
   * Runs `open`. A failure of it is the agent's state until the next attempt.
   * @param ended resolves after the end of the run has been reported
   */
  async whileOpening<T>(ended: Promise<void>, open: () => Promise<T>): Promise<T> {
    this.#opening++;
    this.started();
    try {
      return await open();
    } catch (thrown) {
      const error = toHostError(thrown);
      // The call ends with the pipe, the process a little later. Then there is no agent left that could have a problem.
      if (error.code === 'agent_exited') await ended;
      else this.#problem = error;
      throw error;
    } finally {
      this.#opening--;
      this.refresh();
    }
  }

  dispose(): void {
    this.#disposed = true;
    this.#onChange.dispose();
  }

  /** The state of a running agent, as its sessions have it. */
  #running(): AgentStatus {
    const { sessions, stderrTail } = this.#parts;
    const known = [...sessions.known.values()];
    const requests = known.flatMap(({ state }) => state.requests);
    if (requests.length > 0) return { state: 'waiting', since: Math.min(...requests.map(({ at }) => at)), requests: requests.length };
    const [busySince] = known.flatMap((session) => session.busySince ?? []);
    if (busySince !== undefined) return { state: 'busy', since: busySince };
    if (this.#problem !== undefined) return { state: 'failed', error: this.#problem.toData(), stderrTail: stderrTail() };
    return this.isOpening ? { state: 'starting', since: systemClock.now(), awaiting: sessions.awaiting } : { state: 'ready' };
  }

  #set(status: AgentStatus): void {
    if (this.#disposed || isSameStatus(this.#current, status)) return;
    this.#current = status;
    this.#onChange.fire(status);
  }
}

/** Whether users see the same: the time at which a start began, and what the agent has written since, do not count. */
function isSameStatus(a: AgentStatus, b: AgentStatus): boolean {
  const ignored = { stderrTail: '', ...(a.state === 'starting' || a.state === 'reconnecting' ? { since: 0 } : {}) };
  return isDeepStrictEqual({ ...a, ...ignored }, { ...b, ...ignored });
}

/** Whether an agent that was asked to end will have nothing left to do. @param names by which the agent may be known */
export function nothingRuns(sessions: Iterable<HostSession>, names: readonly (string | undefined)[]): boolean {
  return (
    [...sessions].every(({ busySince }) => busySince === undefined) && names.every((name) => findKnownAgent(name)?.endsWithInput !== true)
  );
}
