/** Lines on stderr for a reader who may not read them: `acp-host serve` belongs to an editor, and an agent may write without end. */
import { setTimeout as delay } from 'node:timers/promises';
import { abandon, flushed, type Io, isFull } from '../system/io.js';

const limitBytes = 256 * 1024;
/** A reader that takes nothing for so long is not waited for at the end. */
const patienceMs = 1_000;

export class LossyLines {
  readonly #stderr: Io['stderr'];
  #lost = 0;

  constructor({ stderr }: Pick<Io, 'stderr'>) {
    this.#stderr = stderr;
    stderr.on('drain', () => this.#tellLost());
  }

  /** Drops the line while too much waits to be read. */
  write(line: string): void {
    if (this.#stderr.writableLength > limitBytes) this.#lost++;
    else this.#stderr.write(`${line}\n`);
  }

  /** Resolves when everything is read, or the reader is gone. */
  async end(): Promise<void> {
    await Promise.race([flushed(this.#stderr), delay(patienceMs, undefined, { ref: false })]);
    if (isFull(this.#stderr)) abandon(this.#stderr);
  }

  #tellLost(): void {
    const lost = this.#lost;
    this.#lost = 0;
    if (lost > 0) this.write(`acp-host: ${lost} lines were left out because nobody read them in time`);
  }
}
