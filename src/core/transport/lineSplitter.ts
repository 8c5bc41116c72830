const LF = 0x0a;
const CR = 0x0d;
const BOM = [0xef, 0xbb, 0xbf] as const;

/** How much of an over-long line is kept to say what it was. */
const HEAD_BYTES = 512;

export interface LineSink {
  /** One line without its line end: `buffer[start, end)`. The bytes are only valid during the call. */
  onLine(buffer: Buffer, start: number, end: number): void;
  /** A line went over the limit: the rest of it is thrown away as it comes. Called once per line, when the limit is crossed. */
  onLineTooLong(head: Buffer): void;
  /** A line went over the second limit: nothing more is to be expected of this stream, and nothing more is read. */
  onGiveUp(): void;
}

export interface LineLimits {
  /** Longest line that is delivered, in bytes without its line end. */
  readonly lineBytes: number;
  /** Length at which a line without an end makes the whole stream worthless. */
  readonly giveUpBytes: number;
}

export const defaultLineLimits: LineLimits = { lineBytes: 64 * 1024 * 1024, giveUpBytes: 256 * 1024 * 1024 };

/**
 * Cuts a stream of bytes at LF; a CR before it and a byte order mark at the start of the stream are dropped. Works on bytes because
 * `readline` and friends cut at other characters too (U+2028, since Node 24), because characters may be split between chunks, and because
 * decoding line by line keeps one non-Latin character from making a whole chunk a two-byte string. A line in many chunks is joined once.
 */
export class LineSplitter {
  readonly #sink: LineSink;
  readonly #limits: LineLimits;
  /** The chunks of the line under way. */
  #parts: Buffer[] = [];
  #partBytes = 0;
  /** The line under way is over the limit and being thrown away. */
  #discarding = false;
  #gaveUp = false;
  #firstLine = true;
  #paused = false;
  /** What arrived while paused, in order. */
  readonly #held: Buffer[] = [];

  constructor(sink: LineSink, limits: LineLimits = defaultLineLimits) {
    this.#sink = sink;
    this.#limits = limits;
  }

  /** Bytes wait for `resume`. */
  get holding(): boolean {
    return this.#held.length > 0;
  }

  push(chunk: Buffer): void {
    if (this.#gaveUp) return;
    if (this.#paused || this.#held.length > 0) this.#held.push(chunk);
    else this.#split(chunk);
  }

  /** No line is delivered from now on, also not the rest of the chunk at hand. */
  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    for (let chunk = this.#held[0]; chunk !== undefined && !this.#paused; chunk = this.#held[0]) {
      this.#held.shift();
      this.#split(chunk);
    }
  }

  /** The stream ended: a last line without its end is delivered. Not to be called while `holding`. */
  end(): void {
    if (this.#partBytes > 0 && !this.#discarding && !this.#gaveUp) this.#deliverJoined();
    this.#clear();
  }

  #split(chunk: Buffer): void {
    let start = 0;
    while (start < chunk.length) {
      const lf = chunk.indexOf(LF, start);
      if (lf === -1) {
        this.#keep(start === 0 ? chunk : chunk.subarray(start));
        return;
      }
      if (this.#partBytes === 0) this.#deliver(chunk, start, lf);
      else this.#finish(chunk.subarray(start, lf));
      start = lf + 1;
      if (this.#paused || this.#gaveUp) break;
    }
    if (this.#paused && start < chunk.length) this.#held.unshift(chunk.subarray(start));
  }

  #finish(last: Buffer): void {
    this.#keep(last);
    if (!this.#discarding && !this.#gaveUp) this.#deliverJoined();
    this.#clear();
  }

  #keep(part: Buffer): void {
    this.#partBytes += part.length;
    if (!this.#discarding) {
      this.#parts.push(part);
      // One byte of grace for the CR that is not part of the line.
      if (this.#partBytes > this.#limits.lineBytes + 1) this.#discard();
    }
    if (this.#partBytes > this.#limits.giveUpBytes && !this.#gaveUp) {
      this.#gaveUp = true;
      this.#clear();
      this.#held.length = 0;
      this.#sink.onGiveUp();
    }
  }

  #discard(): void {
    this.#discarding = true;
    const head = headOf(this.#parts);
    this.#parts = [];
    this.#firstLine = false;
    this.#sink.onLineTooLong(head);
  }

  #deliverJoined(): void {
    const only = this.#parts.length === 1 ? this.#parts[0] : undefined;
    const line = only ?? Buffer.concat(this.#parts, this.#partBytes);
    this.#clear();
    this.#deliver(line, 0, line.length);
  }

  #deliver(buffer: Buffer, from: number, to: number): void {
    let start = from;
    const end = to > from && buffer[to - 1] === CR ? to - 1 : to;
    if (this.#firstLine) {
      this.#firstLine = false;
      if (BOM.every((byte, index) => buffer[start + index] === byte)) start += BOM.length;
    }
    if (end - start > this.#limits.lineBytes) this.#sink.onLineTooLong(Buffer.from(buffer.subarray(start, start + HEAD_BYTES)));
    else this.#sink.onLine(buffer, start, end);
  }

  #clear(): void {
    this.#parts = [];
    this.#partBytes = 0;
    this.#discarding = false;
  }
}

function headOf(parts: readonly Buffer[]): Buffer {
  const head: Buffer[] = [];
  let bytes = 0;
  for (const part of parts) {
    if (bytes >= HEAD_BYTES) break;
    head.push(part.subarray(0, HEAD_BYTES - bytes));
    bytes += part.length;
  }
  return Buffer.concat(head);
}
