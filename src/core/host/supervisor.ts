import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { type WakeWatch, wakeWatch } from '../base/wake.js';
import type { HostError } from '../base/errors.js';
import {
  type AgentEnd,
  classifyEnd,
  cleanHistory,
  decideRestart,
  type RestartDecision,
  type RestartHistory,
  type RestartLimits,
} from './restartPolicy.js';

/** A planned automatic start. */
export interface RestartPlan {
  /** 1-based. */
  readonly attempt: number;
  readonly of: number;
  /** Milliseconds since the epoch; absent once it is in progress. */
  readonly retryAt: number | undefined;
  readonly reason: HostError;
}

export interface SupervisorParts {
  readonly limits: RestartLimits;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Defaults to the wake watch of this process. */
  readonly wake?: WakeWatch;
  /** Starts the agent and resumes its conversations. Reports failures with `ended`. */
  readonly restart: () => void;
}

/** Keeps one agent running: waits longer after each loss, and stops when another attempt doesn't help. */
export class Supervisor implements Disposable {
  readonly #parts: SupervisorParts;
  #history: RestartHistory = cleanHistory;
  /** Further attempts are left to the user. */
  #gaveUp = false;
  #plan: RestartPlan | undefined;
  #timer: NodeJS.Timeout | undefined;
  #healthTimer: NodeJS.Timeout | undefined;
  #onWake: Disposable | undefined;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
  }

  get plan(): RestartPlan | undefined {
    return this.#plan;
  }

  /** Call it when the process is gone or a start failed. Decides whether to restart, and plans the next start. */
  ended(end: AgentEnd): RestartDecision {
    this.cancel();
    const now = this.#parts.clock.now();
    const decision = decideRestart(classifyEnd(end), this.#history, now, this.#parts.random(), this.#parts.limits);
    this.#history = decision.history;
    this.#gaveUp = decision.type === 'stay' && decision.why !== 'not_needed';
    if (decision.type === 'restart') {
      this.#plan = { attempt: decision.attempt, of: decision.of, retryAt: now + decision.delayMs, reason: end.error };
      this.#timer = setTimeout(() => this.retryNow(), decision.delayMs);
      // A machine that slept has waited long enough.
      this.#onWake = (this.#parts.wake ?? wakeWatch).onWake(() => this.retryNow());
    }
    return decision;
  }

  /** Starts at once instead of waiting for the delay. */
  retryNow(): void {
    if (this.#plan?.retryAt === undefined) return;
    this.#endDelay();
    this.#plan = { ...this.#plan, retryAt: undefined };
    this.#parts.restart();
  }

  /** The agent is being started. If the user starts it instead of the plan, or after the plan failed, earlier losses no longer count. */
  starting(): void {
    if (this.#plan?.retryAt !== undefined) this.cancel();
    if (this.#plan === undefined && this.#gaveUp) this.markHealthy();
  }

  /** The agent is running. It counts as healthy only after it keeps running. */
  started(): void {
    this.#plan = undefined;
    clearTimeout(this.#healthTimer);
    this.#healthTimer = setTimeout(() => this.markHealthy(), this.#parts.limits.healthyMs);
    this.#healthTimer.unref();
  }

  /** A turn ended normally, or the agent ran for a long time, so earlier losses no longer count. */
  markHealthy(): void {
    this.#history = cleanHistory;
    this.#gaveUp = false;
  }

  /** Disables automatic starts until the agent ends again. */
  cancel(): void {
    this.#endDelay();
    clearTimeout(this.#healthTimer);
    this.#plan = undefined;
  }

  dispose(): void {
    this.cancel();
  }

  #endDelay(): void {
    clearTimeout(this.#timer);
    this.#onWake?.dispose();
    this.#onWake = undefined;
  }
}
