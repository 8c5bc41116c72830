/** Signs of life of the processes that work in conversations: one file each, touched periodically. */
import { join } from 'node:path';
import { type Disposable, toDisposable } from '../base/disposable.js';
import { namesIn, removeSmallFile, replaceSmallFile, touchedAt, touchSmallFile } from '../node/smallFiles.js';

export interface LifeSignsOptions {
  /** Absolute; created if missing. */
  readonly directory: string;
  /** The writer ID of this process. */
  readonly writer: string;
  /** The interval between two signs. */
  readonly signMs: number;
  /** A process without a sign of life for this long loses its conversations to others. */
  readonly silentMs: number;
  /** This process was silent for so long that others may have taken its conversations. Called before its next sign. */
  readonly onLate: () => void;
  /** The file of this process was removed, although its signs were in time. Called before the file is created again. */
  readonly onRemoved: () => void;
  readonly onError: (error: unknown) => void;
}

/** `doubtful`: the last sign is old, but the observer may have slept, or a clock was set, so it must watch for a while. */
export type Silence = 'signs' | 'doubtful' | 'silent';

interface Seen {
  readonly touchedAt: number;
  /** How long it was watched without another sign, in milliseconds. Only time of actual observation counts. */
  readonly watchedMs: number;
  readonly lookedAt: Times;
  /** A sign came while it was watched. Whatever the clock of its machine says, it was alive. */
  readonly isAlive: boolean;
}

/** The number of missing signs that this process must have observed itself. */
const missedSigns = 3;
/** The number of its own intervals after which a sign of this process is late. */
const lateSigns = 2;

/** The age at which the file of a process that was killed is removed, in milliseconds. */
const oldMs = 24 * 3_600_000;

export class LifeSigns implements Disposable {
  readonly #options: LifeSignsOptions;
  readonly #seen = new Map<string, Seen>();
  #last: Times | undefined;
  #signing: Disposable | undefined;

  constructor(options: LifeSignsOptions) {
    this.#options = options;
  }

  /** @throws the system's error */
  begin(): void {
    if (this.#signing !== undefined) return;
    const { writer, signMs, onError } = this.#options;
    this.#removeOld();
    replaceSmallFile(this.#path(writer), '');
    this.#last = now();
    const signing = setInterval(() => this.#sign(), signMs);
    signing.unref();
    this.#signing = toDisposable(() => {
      clearInterval(signing);
      try {
        removeSmallFile(this.#path(writer));
      } catch (error) {
        onError(error);
      }
    });
  }

  /** Milliseconds since the epoch; in the future as long as this process gives its signs in time. */
  get silentSince(): number {
    return (this.#last?.wall ?? Date.now()) + lateSigns * this.#options.signMs;
  }

  /** Cheap, unless the last sign of this process is overdue. */
  check(): void {
    if (this.#signing !== undefined && this.#isLate()) this.#sign();
  }

  /** Creates the file of this process again if it was removed. Leaves a late sign to `check`. @throws the system's error */
  renew(): void {
    if (this.#signing !== undefined && !this.#isLate() && touchedAt(this.#path(this.#options.writer)) === undefined) this.#sign();
  }

  /** Evaluates another process; call it repeatedly. */
  silenceOf(writer: string): Silence {
    const { signMs, silentMs } = this.#options;
    const touched = touchedAt(this.#path(writer));
    if (touched === undefined) {
      this.#seen.delete(writer);
      return 'silent';
    }
    const before = this.#seen.get(writer);
    const lookedAt = now();
    const watchedMs = before?.touchedAt === touched ? before.watchedMs + Math.min(signMs, lookedAt.steady - before.lookedAt.steady) : 0;
    const isAlive = before !== undefined && (before.touchedAt === touched ? before.isAlive : passed(before.lookedAt, lookedAt) <= silentMs);
    this.#seen.set(writer, { touchedAt: touched, watchedMs, lookedAt, isAlive });
    if (watchedMs >= silentMs) return 'silent';
    if (isAlive || lookedAt.wall - touched <= silentMs) return 'signs';
    return watchedMs >= missedSigns * signMs ? 'silent' : 'doubtful';
  }

  dispose(): void {
    this.#signing?.dispose();
    this.#signing = undefined;
  }

  #sign(): void {
    const { writer, onLate, onRemoved, onError } = this.#options;
    const isLate = this.#isLate();
    if (isLate) onLate();
    this.#last = now();
    try {
      touchSmallFile(this.#path(writer));
    } catch {
      try {
        if (!isLate) onRemoved();
        replaceSmallFile(this.#path(writer), '');
      } catch (error) {
        onError(error);
      }
    }
  }

  /** A process that was killed leaves its file. A process that only slept that long creates its file again. */
  #removeOld(): void {
    const { directory, onError } = this.#options;
    try {
      for (const writer of namesIn(directory)) {
        const touched = touchedAt(this.#path(writer));
        if (touched !== undefined && Date.now() - touched > oldMs) removeSmallFile(this.#path(writer));
      }
    } catch (error) {
      onError(error);
    }
  }

  #isLate(): boolean {
    if (this.#last === undefined) return false;
    const { wall, steady } = now();
    const limitMs = lateSigns * this.#options.signMs;
    const wallMs = wall - this.#last.wall;
    // A clock that was set back is no evidence.
    return wallMs > limitMs || wallMs < 0 || steady - this.#last.steady > limitMs;
  }

  #path(writer: string): string {
    return join(this.#options.directory, writer);
  }
}

/** Milliseconds of two clocks: `wall` continues while the machine sleeps, and `steady` cannot be set. */
interface Times {
  readonly wall: number;
  readonly steady: number;
}

function passed(from: Times, to: Times): number {
  return Math.max(to.wall - from.wall, to.steady - from.steady);
}

function now(): Times {
  return { wall: Date.now(), steady: performance.now() };
}
