/** The last bytes of a stream, without a character that was cut in two at their beginning. */
export class ByteRing {
  readonly #limitBytes: number;
  #chunks: Buffer[] = [];
  /** Chunks before this one are dropped. */
  #first = 0;
  #bytes = 0;
  #isTruncated = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Whether bytes were dropped. */
  get isTruncated(): boolean {
    return this.#isTruncated || this.#bytes > this.#limitBytes;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (let first = this.#chunks[this.#first]; first !== undefined; first = this.#chunks[++this.#first]) {
      if (this.#bytes - first.length < this.#limitBytes) break;
      this.#bytes -= first.length;
      this.#isTruncated ||= first.length > 0;
    }
    // Moving the rest for each dropped chunk would take quadratic time.
    if (this.#first * 2 <= this.#chunks.length) return;
    this.#chunks = this.#chunks.slice(this.#first);
    this.#first = 0;
  }

  /** Invalid UTF-8 becomes U+FFFD. */
  get text(): string {
    const all = Buffer.concat(this.#chunks.slice(this.#first));
    if (!this.isTruncated) return all.toString('utf8');
    let start = Math.max(0, all.length - this.#limitBytes);
    // Bytes of the form 10xxxxxx continue a character, which has at most three of them.
    for (let skipped = 0; skipped < 3 && ((all[start] ?? 0) & 0xc0) === 0x80; skipped++) start++;
    return all.toString('utf8', start);
  }
}
