/**
 * When a run of the agent is over. Up to Pi 0.80.3, and in xcsh, `agent_end` ends it, unless a retry or a compaction follows at once; later versions
 * say `agent_settled` when nothing follows any more. Which of them it is shows by itself.
 */
import type { PiEvent } from './schema/frames.js';

/** So long after `agent_end` it shows whether the run goes on. */
export const quietMs = 300;
/** So long a run that was announced may take to begin. */
const announcedMs = 30_000;

/** `awaited`: a run may begin. `held`: it is going to go on, by the agent's own word. `ending`: it goes on at once, or is over. */
type Phase = 'idle' | 'awaited' | 'running' | 'held' | 'ending';

export interface RunWatchParts {
  /** Something that belongs to the run is still open, so it is not over. */
  readonly isHeldOpen: () => boolean;
  /** The agent has stopped; more may follow. */
  readonly onPause: () => void;
  readonly onOver: () => void;
}

export class RunWatch {
  readonly #parts: RunWatchParts;
  #phase: Phase = 'idle';
  #timer: NodeJS.Timeout | undefined;
  #quietIsOver = false;
  /** The agent says when it has settled. */
  #settles = false;

  constructor(parts: RunWatchParts) {
    this.#parts = parts;
  }

  /** A run is under way, whoever began it. */
  get isRunning(): boolean {
    return this.#phase !== 'idle' && this.#phase !== 'awaited';
  }

  get isAwaited(): boolean {
    return this.#phase === 'awaited';
  }

  /** What an event of the agent means for its run. */
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

  /** Words were sent: a run begins, or goes on. */
  expect(): void {
    if (this.#phase === 'running' || this.#phase === 'held') return;
    this.#enter('awaited');
  }

  /** The agent has done without a run what it was told. */
  noRun(): void {
    if (this.#phase !== 'awaited') return;
    this.#parts.onPause();
    this.#over();
  }

  start(): void {
    this.#enter('running');
  }

  /** @param willRetry by the agent's own word */
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

  /** A retry, or a compaction, began. */
  hold(): void {
    if (this.#phase === 'ending') this.#enter('held');
  }

  /** It is done. @param goesOn the agent said that the run goes on */
  release(goesOn: boolean): void {
    if (this.#phase !== 'held') return;
    if (goesOn) return this.#startTimer(announcedMs, () => this.#over());
    this.#enter('ending');
    this.#waitForQuiet();
  }

  /** What was open is not any more. */
  check(): void {
    if (this.#phase === 'ending' && this.#quietIsOver && !this.#parts.isHeldOpen()) this.#over();
  }

  stop(): void {
    this.#enter('idle');
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
    this.#phase = phase;
  }

  #over(): void {
    this.#enter('idle');
    this.#parts.onOver();
  }
}
