/**
 * Determines when a run of the agent is over. Up to Pi 0.80.3, and in xcsh, `agent_end` ends it, unless a retry or a compaction follows at
 * once; later versions send `agent_settled` when nothing follows. Which of them applies shows from the events.
 */
import type { PiEvent } from './schema/frames.js';

/** How long after `agent_end` it is clear whether the run continues. */
export const quietMs = 300;
/** How long an announced run may take to begin. */
const announcedMs = 30_000;

/** `awaited`: a run may begin. `held`: the agent announced that the run will continue. `ending`: the run continues at once, or is over. */
type Phase = 'idle' | 'awaited' | 'running' | 'held' | 'ending';

export interface RunWatchParts {
  /** Whether something that belongs to the run is still open, so that the run is not over. */
  readonly isHeldOpen: () => boolean;
  /** Called when the agent has stopped; more may follow. */
  readonly onPause: () => void;
  /** Called when the run is over, and again if no message that was sent afterwards begins another one. */
  readonly onOver: () => void;
}

/** The run that a message to the agent may begin. */
export interface ExpectedRun {
  /** Whether it is still open that the message begins a run. */
  readonly isAwaited: boolean;
  /** Call this when the agent refuses the message. */
  refuse(): void;
  /** Call this when the agent did what the message says without a run. */
  endWithoutRun(): void;
}

interface Awaited {
  /** The messages that may begin the run. */
  readonly messages: Set<object>;
  /** What to go back to if no message begins a run. */
  readonly before: { readonly phase: Phase; readonly wasQuiet: boolean };
  /** Whether the agent did what a message says without a run. */
  isDone: boolean;
}

export class RunWatch {
  readonly #parts: RunWatchParts;
  #phase: Phase = 'idle';
  #awaited: Awaited | undefined;
  #timer: NodeJS.Timeout | undefined;
  #quietIsOver = false;
  /** The agent reports when it has settled. */
  #settles = false;

  constructor(parts: RunWatchParts) {
    this.#parts = parts;
  }

  /** Whether a run is in progress, whoever began it. */
  get isRunning(): boolean {
    return this.#phase !== 'idle' && this.#phase !== 'awaited';
  }

  /** Whether the agent has not reported that the run is over. */
  get isWorking(): boolean {
    return this.#phase === 'running' || this.#phase === 'held';
  }

  /** Whether no run is in progress, and no message may begin one. */
  get isIdle(): boolean {
    return this.#phase === 'idle';
  }

  /** Handles what an event means for the run. */
  follow(event: PiEvent): void {
    switch (event.type) {
      case 'agent_start':
        return this.start();
      case 'agent_end':
        return this.end(event.willRetry === true || event.willContinue === true || event.isTerminal === false);
      case 'agent_settled':
        return this.settled();
      case 'auto_retry_start':
      case 'compaction_start':
      case 'auto_compaction_start':
        return this.hold();
      case 'auto_retry_end':
        return (event.success ?? event.finalError === undefined) ? undefined : this.release(false);
      case 'compaction_end':
      case 'auto_compaction_end':
        return this.release(event.willRetry ?? false);
      default:
        return;
    }
  }

  /** Call this when a message was sent, so that a run begins or continues. */
  expect(): ExpectedRun {
    const awaited = this.#phase === 'running' || this.#phase === 'held' ? undefined : (this.#awaited ?? this.#await());
    const message = {};
    awaited?.messages.add(message);
    const isAwaited = (): boolean => awaited !== undefined && this.#awaited === awaited && awaited.messages.has(message);
    const leave = (isDone: boolean): void => {
      if (awaited === undefined || !isAwaited()) return;
      awaited.messages.delete(message);
      awaited.isDone ||= isDone;
      if (awaited.messages.size === 0) this.#giveUp(awaited);
    };
    return {
      get isAwaited() {
        return isAwaited();
      },
      refuse: () => leave(false),
      endWithoutRun: () => leave(true),
    };
  }

  start(): void {
    this.#enter('running');
  }

  /** @param goesOn the agent reported that the run continues, after any pause */
  end(goesOn: boolean): void {
    this.#enter(goesOn ? 'held' : 'ending');
    this.#parts.onPause();
    if (!goesOn) this.#waitForQuiet();
  }

  /** Call this when the agent no longer works on the run, but did not report its end. */
  endUnreported(): void {
    this.#enter('ending');
    this.#parts.onPause();
    this.#quietIsOver = true;
    this.check();
  }

  settled(): void {
    this.#settles = true;
    if (this.#phase === 'idle') return;
    this.#enter('ending');
    this.#quietIsOver = true;
    this.check();
  }

  /** Call this when a retry or a compaction began. */
  hold(): void {
    const phase = this.#awaited?.before.phase ?? this.#phase;
    if (phase === 'ending') this.#enter('held');
  }

  /**
   * Call this when the retry or compaction is done.
   * @param goesOn the agent reported that the run continues
   */
  release(goesOn: boolean): void {
    if (this.#phase !== 'held') return;
    if (goesOn) return this.#startTimer(announcedMs, () => this.#over());
    this.#enter('ending');
    this.#waitForQuiet();
  }

  /** Call this when what `isHeldOpen` refers to may have closed. */
  check(): void {
    if (this.#phase === 'ending' && this.#quietIsOver && !this.#parts.isHeldOpen()) this.#over();
  }

  stop(): void {
    this.#enter('idle');
  }

  #await(): Awaited {
    const before = { phase: this.#phase, wasQuiet: this.#quietIsOver };
    this.#enter('awaited');
    return (this.#awaited = { messages: new Set(), before, isDone: false });
  }

  /** No message begins a run. */
  #giveUp({ before: { phase, wasQuiet }, isDone }: Awaited): void {
    if (phase === 'idle') {
      if (isDone) this.#parts.onPause();
      return this.#over();
    }
    this.#enter(phase);
    this.#quietIsOver = wasQuiet;
    if (phase !== 'ending') return;
    if (wasQuiet) this.check();
    else this.#waitForQuiet();
  }

  #waitForQuiet(): void {
    if (this.#settles) return;
    this.#startTimer(quietMs, () => {
      this.#quietIsOver = true;
      this.check();
    });
  }

  #startTimer(delayMs: number, then: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(then, delayMs).unref();
  }

  #enter(phase: Phase): void {
    clearTimeout(this.#timer);
    this.#quietIsOver = false;
    this.#awaited = undefined;
    this.#phase = phase;
  }

  #over(): void {
    this.#enter('idle');
    this.#parts.onOver();
  }
}
