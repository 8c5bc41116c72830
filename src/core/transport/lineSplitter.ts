const LF = 0x0a;
const CR = 0x0d;
const BOM = [0xef, 0xbb, 0xbf] as const;

/** How many bytes of a line that is too long are passed on to say what it was. */
const HEAD_BYTES = 512;

export interface LineSink {
  /** Gets one line without its line ending: `buffer[start, end)`. The bytes are only valid during the call. */
  onLine(buffer: Buffer, start: number, end: number): void;
  /** A line exceeded the limit, and the rest of it is dropped as it arrives. Called once per line, when it reaches the limit. */
  onLineTooLong(head: Buffer): void;
  /** A line exceeded the second limit: nothing more is read, because nothing useful can follow. */
  onGiveUp(): void;
}

export interface LineLimits {
  /** The longest line that is delivered, in bytes without the line ending. */
  readonly lineBytes: number;
  /** The length of an endless line at which reading the whole stream stops. */
  readonly giveUpBytes: number;
}

export const defaultLineLimits: LineLimits = { lineBytes: 64 * 1024 * 1024, giveUpBytes: 256 * 1024 * 1024 };

/**
 * Splits a stream of bytes at LF, and drops a CR before it and a byte order mark at the start of the stream. It works on bytes, because
 * `readline` and similar functions also split at other characters (U+2028, since Node 24), because characters may be split between chunks,
 * and because decoding line by line prevents one non-Latin character from turning a whole chunk into a two-byte string. A line in many
 * chunks is joined once.
 */
export class LineSplitter {
  readonly #sink: LineSink;
  readonly #limits: LineLimits;
  /** The chunks of the current line. */
  #parts: Buffer[] = [];
  #partBytes = 0;
  /** The current line exceeds the limit and is being dropped. */
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

  /** The beginning of the line whose end has not arrived. */
  get unfinished(): Buffer {
    return headOf(this.#parts);
  }

  push(chunk: Buffer): void {
    if (this.#gaveUp) return;
    if (this.#paused || this.#held.length > 0) this.#held.push(chunk);
    else this.#split(chunk);
  }

  /** Delivers no further line from now on, not even the rest of the current chunk. */
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

  /** Call this at the end of the stream to deliver a last line without a line ending. Don't call it while `holding`. */
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
      // One more byte for the CR, which is not part of the line.
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
