import { isDeepStrictEqual } from 'node:util';
import { findKnownAgent } from '../agents/knownAgents.js';
import { systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { type HostError, type HostErrorData, toHostError } from '../base/errors.js';
import { Emitter } from '../base/event.js';
import type { ExitInfo } from '../node/exitInfo.js';
import type { AgentStatus } from './api.js';
import type { HostSession } from './hostSession.js';
import type { HostSessions } from './hostSessions.js';
import type { AgentEnd, RestartDecision, RestartPlan, Supervisor } from './supervisor.js';

export interface HostStatusParts {
  /** The protocol in the agent's definition. */
  readonly protocol: string;
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
    const { sessions, isRunning, stderrTail } = this.#parts;
    if (!isRunning()) return;
    this.#set(
      runningStatus({
        sessions: sessions.known.values(),
        awaiting: this.isOpening ? sessions.awaiting : undefined,
        now: systemClock.now(),
        problem: this.#problem && { error: this.#problem.toData(), stderrTail: stderrTail() },
      }),
    );
  }

  starting(): void {
    const { sessions, supervisor, protocol } = this.#parts;
    const since = systemClock.now();
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
    if (supervisor?.plan === undefined) this.#set({ state: 'failed', error: error.toData(), stderrTail: stderrTail() });
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
    const { supervisor, stderrTail } = this.#parts;
    const decision = supervisor?.ended(end);
    this.#set(decision?.type === 'restart' ? reconnecting(systemClock.now(), supervisor?.plan) : atRest(end, decision, stderrTail()));
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

/** Whether users see the same: the time at which a start began, and what the agent has written since, do not count. */
function isSameStatus(a: AgentStatus, b: AgentStatus): boolean {
  const ignored = { stderrTail: '', ...(a.state === 'starting' || a.state === 'reconnecting' ? { since: 0 } : {}) };
  return isDeepStrictEqual({ ...a, ...ignored }, { ...b, ...ignored });
}

/** Derives the state of a running agent from its sessions. */
function runningStatus(of: {
  readonly sessions: Iterable<HostSession>;
  /** A session is being opened. */
  readonly awaiting: 'session' | 'next_minute' | undefined;
  /** What prevents the use of the agent. */
  readonly problem: { readonly error: HostErrorData; readonly stderrTail: string } | undefined;
  readonly now: number;
}): AgentStatus {
  const { problem, now } = of;
  const sessions = [...of.sessions];
  const requests = sessions.flatMap(({ state }) => state.requests);
  if (requests.length > 0) return { state: 'waiting', since: Math.min(...requests.map(({ at }) => at)), requests: requests.length };
  const [busySince] = sessions.flatMap((session) => session.busySince ?? []);
  if (busySince !== undefined) return { state: 'busy', since: busySince };
  if (problem !== undefined) return { state: 'failed', ...problem };
  return of.awaiting === undefined ? { state: 'ready' } : { state: 'starting', since: now, awaiting: of.awaiting };
}

/** Whether an agent that was asked to end will have nothing left to do. @param names by which the agent may be known */
export function nothingRuns(sessions: Iterable<HostSession>, names: readonly (string | undefined)[]): boolean {
  return (
    [...sessions].every(({ busySince }) => busySince === undefined) && names.every((name) => findKnownAgent(name)?.endsWithInput !== true)
  );
}

function reconnecting(since: number, plan: RestartPlan | undefined): AgentStatus {
  if (plan === undefined) return { state: 'reconnecting', since };
  const { attempt, of, retryAt, reason } = plan;
  return { state: 'reconnecting', since, attempt, of, reason: reason.toData(), ...(retryAt === undefined ? {} : { retryAt }) };
}

const ofConnections: ReadonlySet<unknown> = new Set([
  'connection_closed',
  'connection_silent',
  'message_too_large',
  'bad_frame',
  'stop_ignored',
]);

/** What happened to the process, or if there is none, to the connection. */
export function lossOf(error: HostError, exit: ExitInfo | undefined): HostError {
  if (exit === undefined && ofConnections.has(error.params.reason)) return error;
  return error.code === 'agent_exited' ? error.with({ reason: exit === undefined ? 'output_closed' : 'process_ended' }) : error;
}

/** The state of an agent that won't be restarted automatically. */
function atRest({ error, exit, isMidTurn = false }: AgentEnd, decision: RestartDecision | undefined, stderrTail: string): AgentStatus {
  if (exit?.requested === true || (exit?.code === 0 && !isMidTurn)) return { state: 'stopped', exit };
  const isTooOften = decision?.type === 'stay' && decision.why === 'too_often';
  return { state: 'failed', error: (isTooOften ? error.with({ circuit: 'open' }) : error).toData(), stderrTail };
}
