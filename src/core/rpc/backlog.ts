/** Counts what was passed on and is not done, and reports when that is too much and when it has eased. */
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

  /** True from the limit until it falls below half of it, so that the pipe does not alternate at the limit. */
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
