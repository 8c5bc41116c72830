import { onInterrupts } from './interrupts.js';
import { abandon, type Io, isFull } from './io.js';

/**
 * Whether somebody takes what is printed on stdout. Where nobody does, the agent is not read either, so that what waits stays small.
 * A reader that went away takes everything, and a stderr that nobody reads holds nothing up.
 */
export class OutputFlow {
  readonly #io: Pick<Io, 'stdout' | 'stderr'>;
  #waiting: { readonly drained: Promise<void>; readonly release: () => void } | undefined;
  /** Ctrl+C while nobody took anything: the agent is read all the same, to learn that it stopped. */
  #isReleased = false;

  constructor(io: Pick<Io, 'stdout' | 'stderr'>) {
    this.#io = io;
    onInterrupts({ interrupt: () => this.#interrupt(), end: () => this.#abandon() });
  }

  /** Undefined while more can be printed. */
  whenDrained(): Promise<void> | undefined {
    const { stdout } = this.#io;
    if (!isFull(stdout)) this.#isReleased = false;
    if (!isFull(stdout) || this.#isReleased) return undefined;
    this.#waiting ??= this.#wait(stdout);
    return this.#waiting.drained;
  }

  #wait(stdout: NodeJS.WriteStream): { readonly drained: Promise<void>; readonly release: () => void } {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const drained = Promise.race([released, untilDrained(stdout)]).then(() => {
      this.#waiting = undefined;
    });
    return { drained, release };
  }

  #interrupt(): void {
    if (!isFull(this.#io.stdout)) return;
    if (this.#isReleased) return this.#abandon();
    this.#isReleased = true;
    this.#waiting?.release();
  }

  /** The program ends, and waits for no reader. */
  #abandon(): void {
    for (const stream of [this.#io.stdout, this.#io.stderr]) if (isFull(stream)) abandon(stream);
    this.#waiting?.release();
  }
}

function untilDrained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done).off('error', done);
      resolve();
    };
    stream.on('drain', done).on('close', done).on('error', done);
  });
}
