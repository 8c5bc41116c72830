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
  /** As its definition says it. */
  readonly protocol: string;
  readonly clock: Clock;
  readonly sessions: Pick<HostSessions, 'known' | 'awaiting'>;
  /** Absent where the agent is not to be started by itself. */
  readonly supervisor: Supervisor | undefined;
  readonly isRunning: () => boolean;
  /** Redacted. */
  readonly stderrTail: () => string;
}

/**
 * The state of an agent as people see it. While the agent runs, it follows from its sessions; once the agent ended, from how it ended and
 * from whether it is started again.
 */
export class HostStatus implements Disposable {
  readonly #parts: HostStatusParts;
  readonly #onChange = new Emitter<AgentStatus>();
  #current: AgentStatus = { state: 'stopped' };
  /** What keeps a running agent from being used, e.g. that it wants the user to sign in. */
  #problem: HostError | undefined;
  /** Calls that open a session. */
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

  /** What the user started, the user may start again; a start by ourselves has its next one planned. */
  startFailed(error: HostError): void {
    const { supervisor, stderrTail } = this.#parts;
    if (supervisor?.plan === undefined) this.#set({ state: 'failed', error, stderrTail: stderrTail() });
    else this.lost({ error, exit: undefined, phase: 'starting' });
  }

  /** Runs `open`; what goes wrong in it is the agent's state until the next attempt. @param ended resolves when the end of the run has been told */
  async whileOpening<T>(ended: Promise<void>, open: () => Promise<T>): Promise<T> {
    this.#opening++;
    this.started();
    try {
      return await open();
    } catch (thrown) {
      const error = toHostError(thrown);
      // The call dies with the pipe, the process a little later; what is left then is no agent with a problem, but none.
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

  /** It went by itself: decides whether it is started again. */
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
