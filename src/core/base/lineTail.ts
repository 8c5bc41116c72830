/** The last lines of a text that does not end. Bounded in lines and characters, whatever comes. */
export class LineTail {
  readonly #maxLines: number;
  readonly #maxChars: number;
  #lines: string[] = [];
  #chars = 0;
  #total = 0;
  /** The line after the last, as far as it came. */
  partial = '';

  constructor(maxLines = 1000, maxChars = 256 * 1024) {
    this.#maxLines = maxLines;
    this.#maxChars = maxChars;
  }

  /** How many lines came, those that are gone included. */
  get total(): number {
    return this.#total;
  }

  push(line: string): void {
    this.#total++;
    this.#lines.push(line);
    this.#chars += line.length;
    let drop = 0;
    while (this.#lines.length - drop > this.#maxLines || (this.#chars > this.#maxChars && drop < this.#lines.length)) {
      this.#chars -= this.#lines[drop]?.length ?? 0;
      drop++;
    }
    if (drop > 0) this.#lines = this.#lines.slice(drop);
  }

  /** The last `count` lines, oldest first. @param since of a `total` before: only what came after it */
  last(count: number, since = 0): string {
    const fresh = this.#lines.slice(Math.max(0, this.#lines.length - (this.#total - since)));
    const lines = this.partial === '' ? fresh : [...fresh, this.partial];
    return count <= 0 ? '' : lines.slice(-count).join('\n');
  }
}
