import pRetry from 'p-retry';
import type { AgentDefinition } from '../agents/agentDefinition.js';
import type { AgentBackend, BackendEnd, CloseOptions, ConnectOptions } from '../backends/agentBackend.js';
import { systemClock } from '../base/clock.js';
import { type Disposable, DisposableStore, toDisposable } from '../base/disposable.js';
import { HostError, toHostError } from '../base/errors.js';
import { type Logger, nullLogger } from '../base/logger.js';
import { wakeWatch } from '../base/wake.js';
import type { ExitInfo } from '../node/spawnProcess.js';
import type { AgentTraffic } from '../traffic/agentTraffic.js';
import type { AgentStatus } from './api.js';
import { type AgentEnd, classifyEnd, cleanHistory, decideRestart, type RestartDecision, type RestartLimits } from './restartPolicy.js';

/** One run of the agent, from its handshake to its end. */
export interface AgentRun {
  readonly backend: AgentBackend;
  /** Resolves after the end of the run has been reported. */
  readonly ended: Promise<void>;
}

interface OwnedRun extends AgentRun {
  readonly end: () => void;
}

/** The status of an agent that does not run. */
type RestingStatus = Extract<AgentStatus, { state: 'stopped' | 'starting' | 'reconnecting' | 'failed' }>;
type Reconnecting = Extract<AgentStatus, { state: 'reconnecting' }>;

/** What users are told of an automatic start. */
type RestartPlan = Pick<Reconnecting, 'attempt' | 'of' | 'reason'>;

type Idle = {
  readonly state: 'idle';
  readonly status: RestingStatus;
  /** It starts again by itself after a delay. */
  readonly restart?: { readonly plan: RestartPlan; readonly delay: Disposable };
};

const stopped: Idle = { state: 'idle', status: { state: 'stopped' } };

interface Starting {
  readonly state: 'starting';
  readonly run: Promise<AgentRun>;
  readonly abandon: AbortController;
  /** Of an automatic start. */
  readonly plan: RestartPlan | undefined;
  /** The run before it, if it waits for its end. */
  readonly former: OwnedRun | undefined;
  /** How many wait for it. */
  waiting: number;
}

type Life =
  | Idle
  | Starting
  /** `health`: it counts as healthy only after it keeps running. */
  | { readonly state: 'running'; readonly run: OwnedRun; readonly health: NodeJS.Timeout | undefined }
  | { readonly state: 'stopping'; readonly run: OwnedRun; readonly gone: Promise<ExitInfo | undefined> };

export interface AgentLifeParts {
  readonly agent: Pick<AgentDefinition, 'label' | 'protocol'>;
  readonly traffic: AgentTraffic;
  /** Like ConnectAgent; the caller provides the other options. */
  readonly connect: (o: Pick<ConnectOptions, 'onTraffic' | 'onPartialStderr' | 'signal'>) => Promise<AgentBackend>;
  /** Absent if the agent must not be restarted automatically. */
  readonly restart: RestartLimits | undefined;
  readonly log?: Logger | undefined;
  /** Whether it had sessions before, to which it returns. */
  readonly hasSessions: () => boolean;
  /** A turn is running, so no exit of the agent counts as normal. */
  readonly isMidTurn: () => boolean;
  /** It is running. @param isRestarted it was lost, and started again by itself */
  readonly onStarted: (backend: AgentBackend, isRestarted: boolean) => void;
  /** It does not run any more, whoever ended it. Called before `onStatus`. */
  readonly onEnded: (error: HostError) => void;
  readonly onStatus: (status: RestingStatus) => void;
}

/**
 * Runs an agent at most once at a time. If it is lost, it starts again, later after each loss, until another attempt doesn't help. A late
 * event of an earlier run has no effect.
 */
export class AgentLife {
  readonly #parts: AgentLifeParts;
  #life: Life = stopped;
  #history = cleanHistory;
  /** Earlier processes that are ending, with their descendants. */
  readonly #leaving = new Set<Promise<unknown>>();

  constructor(parts: AgentLifeParts) {
    this.#parts = parts;
  }

  /** The run that can be used now. */
  get current(): AgentRun | undefined {
    return this.#life.state === 'running' ? this.#life.run : undefined;
  }

  /**
   * Concurrent calls share one start. It replaces a planned one.
   * @param signal ends this wait only; the start ends with the last one
   * @throws HostError as ConnectAgent; `cancelled`
   */
  async start(signal?: AbortSignal): Promise<AgentRun> {
    if (signal?.aborted) throw cancelled();
    const life = this.#life;
    if (life.state === 'running') return life.run;
    if (life.state === 'starting' && !life.abandon.signal.aborted) return waitFor(life, signal);
    if (life.state === 'idle') life.restart?.delay.dispose();
    return waitFor(this.#start(undefined), signal);
  }

  /** Starts at once instead of waiting for the delay of a restart. */
  restartNow(): void {
    const life = this.#life;
    if (life.state !== 'idle' || life.restart === undefined) return;
    const { plan, delay } = life.restart;
    delay.dispose();
    const { agent, log = nullLogger } = this.#parts;
    waitFor(this.#start(plan), undefined).catch((error: unknown) => log.warn(`Could not restart ${agent.label}`, error));
  }

  /** A turn ended normally, or the agent ran for a long time, so earlier losses no longer count. */
  markHealthy(): void {
    this.#history = cleanHistory;
  }

  /** Ends every process, gracefully or by force, and plans no other one. */
  async stop(o: CloseOptions = {}): Promise<void> {
    const life = this.#life;
    switch (life.state) {
      case 'idle':
        life.restart?.delay.dispose();
        if (life.restart !== undefined) this.#rest(stopped);
        return;
      case 'starting':
        life.abandon.abort();
        await Promise.all([life.former?.backend.close(o), life.run.catch(() => {})]);
        return;
      case 'stopping':
        await life.run.backend.close(o);
        return life.run.ended;
      case 'running': {
        const { run } = life;
        clearTimeout(life.health);
        const gone = run.backend.close(o);
        const stopping: Life = { state: 'stopping', run, gone };
        this.#life = stopping;
        const exit = await gone;
        this.#parts.traffic.end(exit);
        const status = { state: 'stopped', ...(exit !== undefined && { exit }) } as const;
        // Another start may have been requested meanwhile. It waits until this run has ended.
        const next = this.#life === stopping ? ({ state: 'idle', status } as const) : undefined;
        this.#end(run, new HostError('agent_exited', { reason: 'stopped' }), next);
      }
    }
  }

  /** Resolves when all processes of earlier runs have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#leaving);
  }

  #start(plan: RestartPlan | undefined): Starting {
    const { agent, hasSessions, onStatus } = this.#parts;
    const before = this.#life;
    const former = before.state === 'stopping' ? before.run : before.state === 'starting' ? before.former : undefined;
    const abandon = new AbortController();
    const run = this.#begin(this.#gone(), abandon);
    const starting: Starting = { state: 'starting', run, abandon, plan, former, waiting: 0 };
    this.#life = starting;
    const since = systemClock.now();
    const first = { state: 'starting', since, awaiting: 'initialize', protocol: agent.protocol } as const;
    onStatus(hasSessions() ? { state: 'reconnecting', since, ...plan } : first);
    return starting;
  }

  /** Waits for the previous process, which may still be saving its state. */
  async #gone(): Promise<void> {
    const life = this.#life;
    if (life.state === 'starting') await life.run.catch(() => {});
    if (life.state === 'stopping') await life.gone;
  }

  async #begin(othersGone: Promise<void>, abandon: AbortController): Promise<AgentRun> {
    const unwanted = abandon.signal;
    try {
      await othersGone;
      const backend = await retryPassing(() => this.#attempt(unwanted), unwanted);
      if (unwanted.aborted) {
        // It was connected before it learned that nobody wants it any more.
        this.#parts.traffic.end(await backend.close({ force: true }));
        throw cancelled();
      }
      return this.#run(backend);
    } catch (thrown) {
      const error = unwanted.aborted ? cancelled() : toHostError(thrown);
      if (this.#life.state === 'starting' && this.#life.abandon === abandon) this.#startFailed(error, this.#life.plan);
      throw error;
    }
  }

  async #attempt(signal: AbortSignal): Promise<AgentBackend> {
    const { traffic, connect } = this.#parts;
    if (signal.aborted) throw cancelled();
    try {
      const backend = await connect({ signal, ...traffic.begin() });
      traffic.follow(() => backend.stats);
      return backend;
    } catch (error) {
      traffic.end(undefined);
      throw error;
    }
  }

  #run(backend: AgentBackend): AgentRun {
    const { restart, onStarted } = this.#parts;
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const run: OwnedRun = { backend, ended, end };
    // What the agent answered before its end counts first, also if both are read at once.
    backend.onClosed((how) => setImmediate(() => this.#onClosed(run, how)));
    const isRestarted = this.#life.state === 'starting' && this.#life.plan !== undefined;
    const health = restart && setTimeout(() => this.markHealthy(), restart.healthyMs).unref();
    this.#life = { state: 'running', run, health };
    onStarted(backend, isRestarted);
    return run;
  }

  /** The user may retry a start that the user requested; after an automatic one, another one may follow. */
  #startFailed(error: HostError, plan: RestartPlan | undefined): void {
    const end = { error, exit: undefined, phase: 'starting' } as const;
    if (error.code === 'cancelled') this.#rest(stopped);
    else this.#rest(plan === undefined ? this.#atRest(end) : this.#afterEnd(end));
  }

  #onClosed(run: OwnedRun, { error: cause, exit }: BackendEnd): void {
    const life = this.#life;
    // A run that was stopped is finished by the code that stopped it.
    if (life.state !== 'running' || life.run !== run) return;
    clearTimeout(life.health);
    const leaving = run.backend.close({ force: true }).finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
    this.#parts.traffic.end(exit);
    const error = lossOf(cause, exit);
    this.#end(run, error, this.#afterEnd({ error, exit, phase: 'running', isMidTurn: this.#parts.isMidTurn() }));
  }

  /** @param next absent if something else was begun */
  #end(run: OwnedRun, error: HostError, next: Idle | undefined): void {
    if (next !== undefined) this.#life = next;
    this.#parts.onEnded(error);
    // Whoever was told may have started or stopped it.
    if (next !== undefined && this.#life === next) this.#parts.onStatus(next.status);
    run.end();
  }

  #rest(idle: Idle): void {
    this.#life = idle;
    this.#parts.onStatus(idle.status);
  }

  /** Decides whether the agent starts again after it ended by itself, and when. */
  #afterEnd(end: AgentEnd): Idle {
    const { restart } = this.#parts;
    const now = systemClock.now();
    const decision = restart && decideRestart(classifyEnd(end), this.#history, now, Math.random(), restart);
    if (decision?.type !== 'restart') {
      // The next start is the user's.
      if (decision?.why !== 'not_needed') this.markHealthy();
      return this.#atRest(end, decision);
    }
    const { attempt, of, delayMs, history } = decision;
    this.#history = history;
    const delay = new DisposableStore();
    const timer = setTimeout(() => this.restartNow(), delayMs);
    delay.add(toDisposable(() => clearTimeout(timer)));
    // A machine that slept has waited long enough.
    delay.add(wakeWatch.onWake(() => this.restartNow()));
    const plan = { attempt, of, reason: end.error.toData() };
    return { state: 'idle', status: { state: 'reconnecting', since: now, ...plan, retryAt: now + delayMs }, restart: { plan, delay } };
  }

  /** It won't be restarted automatically. */
  #atRest({ error, exit, isMidTurn = false }: AgentEnd, decision?: RestartDecision): Idle {
    if (exit?.requested === true || (exit?.code === 0 && !isMidTurn)) return { state: 'idle', status: { state: 'stopped', exit } };
    const isTooOften = decision?.type === 'stay' && decision.why === 'too_often';
    const shown = isTooOften ? error.with({ circuit: 'open' }) : error;
    return { state: 'idle', status: { state: 'failed', error: shown.toData(), stderrTail: this.#parts.traffic.stderrTail() } };
  }
}

/** The last one that gives up waits until the start has ended. */
function waitFor(starting: Starting, signal: AbortSignal | undefined): Promise<AgentRun> {
  starting.waiting++;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      if (--starting.waiting > 0) reject(cancelled());
      else starting.abandon.abort();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    starting.run.finally(() => signal?.removeEventListener('abort', onAbort)).then(resolve, reject);
  });
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

function cancelled(): HostError {
  return new HostError('cancelled', { reason: 'start' });
}

const passingErrors: ReadonlySet<unknown> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'ETXTBSY']);

/** Retries only what the operating system refuses temporarily. Permanent failures are reported at once. */
function retryPassing<T>(attempt: () => Promise<T>, unwanted: AbortSignal): Promise<T> {
  // Without the signal: p-retry would drop what an attempt returns after it is aborted.
  return pRetry(attempt, { retries: 2, minTimeout: 100, shouldRetry: ({ error }) => !unwanted.aborted && isPassing(error) });
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof HostError) || error.code !== 'spawn_failed') return false;
  return error.cause instanceof Error && 'code' in error.cause && passingErrors.has(error.cause.code);
}
