import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { type HostError, toHostError } from '../base/errors.js';
import { Emitter } from '../base/event.js';
import type { ExitInfo } from '../node/exitInfo.js';
import type { AgentStatus } from './api.js';
import type { HostSessions } from './hostSessions.js';
import type { AgentEnd } from './restartPolicy.js';
import { atRest, isSameStatus, reconnecting, runningStatus } from './status.js';
import type { Supervisor } from './supervisor.js';

export interface HostStatusParts {
  /** The protocol in the agent's definition. */
  readonly protocol: string;
  readonly clock: Clock;
  readonly sessions: Pick<HostSessions, 'known' | 'awaiting'>;
  /** Absent if the agent must not be restarted automatically. */
  readonly supervisor: Supervisor | undefined;
  readonly isRunning: () => boolean;
  /** Redacted. */
  readonly stderrTail: () => string;
}

/**
 * The state of an agent as users see it. While the agent is running, it follows from the sessions; after the agent ended, from how it ended
 * and whether it restarts.
 */
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
    const { sessions, clock, isRunning, stderrTail } = this.#parts;
    if (!isRunning()) return;
    this.#set(
      runningStatus({
        sessions: sessions.known.values(),
        awaiting: this.isOpening ? sessions.awaiting : undefined,
        now: clock.now(),
        problem: this.#problem && { error: this.#problem, stderrTail: stderrTail() },
      }),
    );
  }

  starting(): void {
    const { sessions, clock, supervisor, protocol } = this.#parts;
    const since = clock.now();
    const first = { state: 'starting', since, awaiting: 'initialize', protocol } as const;
    this.#set(sessions.known.size > 0 ? reconnecting(since, supervisor?.plan) : first);
  }

  started(): void {
    this.#problem = undefined;
    this.refresh();
  }

  /** The user may retry a start that the user requested; an automatic start has its next attempt planned. */
  startFailed(error: HostError): void {
    const { supervisor, stderrTail } = this.#parts;
    if (supervisor?.plan === undefined) this.#set({ state: 'failed', error, stderrTail: stderrTail() });
    else this.lost({ error, exit: undefined, phase: 'starting' });
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

  /** The process is gone, whoever ended it. */
  ended(): void {
    this.#problem = undefined;
  }

  /** The process ended by itself: decides whether to restart it. */
  lost(end: AgentEnd): void {
    const { supervisor, clock, stderrTail } = this.#parts;
    const decision = supervisor?.ended(end);
    this.#set(decision?.type === 'restart' ? reconnecting(clock.now(), supervisor?.plan) : atRest(end, decision, stderrTail()));
  }

  stopped(exit?: ExitInfo): void {
    this.#set(exit === undefined ? { state: 'stopped' } : { state: 'stopped', exit });
  }

  dispose(): void {
    this.#disposed = true;
    this.#onChange.dispose();
  }

  #set(status: AgentStatus): void {
    if (this.#disposed || isSameStatus(this.#current, status)) return;
    this.#current = status;
    this.#onChange.fire(status);
  }
}
