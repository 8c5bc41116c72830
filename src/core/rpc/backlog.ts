/** Counts messages whose handling is in progress, and reports when there are too many, and when there are few again. */
export class Backlog {
  readonly #limit: number;
  readonly #limitBytes: number;
  readonly #onChange: () => void;
  #count = 0;
  #bytes = 0;
  #full = false;

  /** @param onChange is called when `full` has changed */
  constructor(limit: number, limitBytes: number, onChange: () => void) {
    this.#limit = limit;
    this.#limitBytes = limitBytes;
    this.#onChange = onChange;
  }

  get count(): number {
    return this.#count;
  }

  /** True from the limit until the backlog falls below half of it, so that the pipe is not paused and resumed for every message. */
  get full(): boolean {
    return this.#full;
  }

  add(bytes: number): void {
    this.#count++;
    this.#bytes += bytes;
    this.#update(this.#full || this.#count >= this.#limit || this.#bytes >= this.#limitBytes);
  }

  done(bytes: number): void {
    this.#count--;
    this.#bytes -= bytes;
    this.#update(this.#full && (this.#count >= this.#limit / 2 || this.#bytes >= this.#limitBytes / 2));
  }

  #update(full: boolean): void {
    if (full === this.#full) return;
    this.#full = full;
    this.#onChange();
  }
}
