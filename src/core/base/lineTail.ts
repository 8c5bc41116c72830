/** Keeps the last lines of a stream of text. Bounded in lines and characters. */
export class LineTail {
  readonly #maxLines: number;
  readonly #maxChars: number;
  #lines: string[] = [];
  #chars = 0;
  #total = 0;
  /** The beginning of a line that is not complete yet. */
  partial = '';

  constructor(maxLines = 1000, maxChars = 256 * 1024) {
    this.#maxLines = maxLines;
    this.#maxChars = maxChars;
  }

  /** The number of lines so far, including those that were dropped. */
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

  /**
   * Returns the last `count` lines, oldest first.
   * @param since an earlier `total`; only later lines are returned
   */
  last(count: number, since = 0): string {
    const fresh = this.#lines.slice(Math.max(0, this.#lines.length - (this.#total - since)));
    const lines = this.partial === '' ? fresh : [...fresh, this.partial];
    return count <= 0 ? '' : lines.slice(-count).join('\n');
  }
}
