import { onInterrupts } from './interrupts.js';
import { abandon, type Io, isFull } from './io.js';

/**
 * Knows whether the output on stdout is being read. While it is not, the agent is not read either, so that little output waits. A
 * reader that is gone accepts everything, and a stderr that is not read delays nothing.
 */
export class OutputFlow {
  readonly #io: Pick<Io, 'stdout' | 'stderr'>;
  #waiting: { readonly drained: Promise<void>; readonly release: () => void } | undefined;
  /** The user pressed Ctrl+C while the output was not being read. The agent is then read anyway, to find out that it stopped. */
  #isReleased = false;

  constructor(io: Pick<Io, 'stdout' | 'stderr'>) {
    this.#io = io;
    onInterrupts({ interrupt: () => this.#interrupt(), end: () => this.#abandon() });
  }

  /** Returns undefined while more can be printed. */
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

  /** The program ends without waiting for readers. */
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
