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
  readonly onOver: () => void;
}

export class RunWatch {
  readonly #parts: RunWatchParts;
  #phase: Phase = 'idle';
  /** The messages that may begin the awaited run, and how to go back if the agent refuses all of them. */
  #awaited: { readonly messages: Set<object>; readonly goBack: () => void } | undefined;
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

  /** Identifies the present wait for a run; undefined if none is awaited. */
  get awaited(): object | undefined {
    return this.#awaited;
  }

  /** Handles what an event means for the run. */
  follow(event: PiEvent): void {
    switch (event.type) {
      case 'agent_start':
        return this.start();
      case 'agent_end':
        return this.end(event.willRetry ?? false);
      case 'agent_settled':
        return this.settled();
      case 'auto_retry_start':
      case 'compaction_start':
      case 'auto_compaction_start':
        return this.hold();
      case 'auto_retry_end':
        return event.success ? undefined : this.release(false);
      case 'compaction_end':
      case 'auto_compaction_end':
        return this.release(event.willRetry ?? false);
      default:
        return;
    }
  }

  /**
   * Call this when a message was sent, so that a run begins or continues.
   * @returns call this when the agent refuses the message
   */
  expect(): () => void {
    if (this.#phase === 'running' || this.#phase === 'held') return () => {};
    const awaited = this.#awaited ?? this.#await();
    const message = {};
    awaited.messages.add(message);
    return () => {
      awaited.messages.delete(message);
      if (this.#awaited === awaited && awaited.messages.size === 0) awaited.goBack();
    };
  }

  /** Call this when the agent did what it was told without a run. */
  noRun(): void {
    if (this.#phase !== 'awaited') return;
    this.#parts.onPause();
    this.#over();
  }

  start(): void {
    this.#enter('running');
  }

  /** @param willRetry as reported by the agent */
  end(willRetry: boolean): void {
    this.#enter(willRetry ? 'held' : 'ending');
    this.#parts.onPause();
    if (!willRetry) this.#waitForQuiet();
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
    if (this.#phase === 'ending') this.#enter('held');
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

  #await() {
    const phase = this.#phase;
    const wasQuiet = this.#quietIsOver;
    const goBack = (): void => {
      this.#enter(phase);
      this.#quietIsOver = wasQuiet;
      if (phase !== 'ending') return;
      if (wasQuiet) this.check();
      else this.#waitForQuiet();
    };
    this.#enter('awaited');
    return (this.#awaited = { messages: new Set<object>(), goBack });
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
