import pRetry from 'p-retry';
import type { AgentBackend, BackendEnd, CloseOptions, ConnectOptions } from '../backends/agentBackend.js';
import { HostError } from '../base/errors.js';
import type { ExitInfo } from '../node/exitInfo.js';
import type { AgentTraffic } from '../traffic/agentTraffic.js';

/** One run of the agent, from its handshake to its end. */
export interface AgentRun {
  readonly backend: AgentBackend;
  /** Resolves after the end of the run has been reported. */
  readonly ended: Promise<void>;
}

interface OwnedRun extends AgentRun {
  readonly end: () => void;
}

type Life =
  | { readonly state: 'idle' }
  | { readonly state: 'starting'; readonly run: Promise<AgentRun>; readonly abandon: AbortController }
  | { readonly state: 'running'; readonly run: OwnedRun }
  | { readonly state: 'stopping'; readonly run: OwnedRun; readonly gone: Promise<ExitInfo | undefined> };

export interface AgentLifeParts {
  readonly traffic: AgentTraffic;
  /** Like ConnectAgent; the caller provides the other options. */
  readonly connect: (o: Pick<ConnectOptions, 'onTraffic' | 'onPartialStderr' | 'signal'>) => Promise<AgentBackend>;
  /** The agent ended without being asked to. */
  readonly onLost: (end: BackendEnd) => void;
}

/** Runs an agent at most once at a time. A late event of an earlier run has no effect. */
export class AgentLife {
  readonly #parts: AgentLifeParts;
  #life: Life = { state: 'idle' };
  /** Earlier processes that are ending, with their descendants. */
  readonly #leaving = new Set<Promise<unknown>>();

  constructor(parts: AgentLifeParts) {
    this.#parts = parts;
  }

  /** The run that can be used now. */
  get current(): AgentRun | undefined {
    return this.#life.state === 'running' ? this.#life.run : undefined;
  }

  /** The start in progress, unless it was abandoned. */
  get starting(): Promise<AgentRun> | undefined {
    return this.#life.state === 'starting' && !this.#life.abandon.signal.aborted ? this.#life.run : undefined;
  }

  /** Concurrent calls share one start. @throws HostError as ConnectAgent */
  start(signal: AbortSignal): Promise<AgentRun> {
    const life = this.#life;
    if (life.state === 'running') return Promise.resolve(life.run);
    if (this.starting !== undefined) return this.starting;
    const abandon = new AbortController();
    const run = this.#begin(this.#gone(), signal, abandon);
    this.#life = { state: 'starting', run, abandon };
    return run;
  }

  /** Ends every process, gracefully or by force. @returns how the process exited, if one was running */
  async stop(o: CloseOptions = {}): Promise<{ readonly exit: ExitInfo | undefined } | undefined> {
    const life = this.#life;
    switch (life.state) {
      case 'idle':
        return undefined;
      case 'starting':
        life.abandon.abort();
        await life.run.catch(() => {});
        return undefined;
      case 'stopping':
        return { exit: await life.run.backend.close(o) };
      case 'running': {
        const { run } = life;
        const gone = run.backend.close(o);
        this.#life = { state: 'stopping', run, gone };
        const exit = await gone;
        this.#finish(run, exit);
        return { exit };
      }
    }
  }

  /** Resolves when all processes of earlier runs have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#leaving);
  }

  /** Waits for the previous process, which may still be saving its state. */
  async #gone(): Promise<void> {
    const life = this.#life;
    if (life.state === 'starting') await life.run.catch(() => {});
    if (life.state === 'stopping') await life.gone;
  }

  async #begin(othersGone: Promise<void>, signal: AbortSignal, abandon: AbortController): Promise<AgentRun> {
    const unwanted = AbortSignal.any([signal, abandon.signal]);
    try {
      await othersGone;
      const backend = await retryPassing(() => this.#attempt(unwanted), unwanted);
      if (unwanted.aborted) {
        // It was connected before it learned that nobody wants it any more.
        this.#parts.traffic.end(await backend.close({ force: true }));
        throw cancelled();
      }
      const run = this.#follow(backend);
      this.#life = { state: 'running', run };
      return run;
    } catch (error) {
      if (this.#life.state === 'starting' && this.#life.abandon === abandon) this.#life = { state: 'idle' };
      throw unwanted.aborted ? cancelled() : error;
    }
  }

  #follow(backend: AgentBackend): OwnedRun {
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const run: OwnedRun = { backend, ended, end };
    // What the agent answered before its end counts first, also if both are read at once.
    backend.onClosed((how) => setImmediate(() => this.#onClosed(run, how)));
    return run;
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

  #onClosed(run: OwnedRun, end: BackendEnd): void {
    // A run that was stopped is finished by the code that stopped it.
    if (this.#life.state !== 'running' || this.#life.run !== run) return;
    this.#life = { state: 'idle' };
    const leaving = run.backend.close({ force: true }).finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
    this.#parts.traffic.end(end.exit);
    this.#parts.onLost(end);
    run.end();
  }

  #finish(run: OwnedRun, exit: ExitInfo | undefined): void {
    // Another start may have been requested meanwhile. It waits until this run has ended.
    if (this.#life.state === 'stopping' && this.#life.run === run) this.#life = { state: 'idle' };
    this.#parts.traffic.end(exit);
    run.end();
  }
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
