import { StringDecoder } from 'node:string_decoder';
import { Emitter, type Event } from '../base/event.js';

/** Longer lines are cut into pieces. */
const LINE_CHARS = 8 * 1024;

/** The last lines of a program's stderr. Bounded in lines and characters whatever the program writes; a character split between chunks stays whole. */
export class StderrRing {
  readonly #maxLines: number;
  readonly #maxChars: number;
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLine = new Emitter<string>();
  #lines: string[] = [];
  #chars = 0;
  #partial = '';

  constructor(maxLines = 1000, maxChars = 256 * 1024) {
    this.#maxLines = maxLines;
    this.#maxChars = maxChars;
  }

  /** Each line when it is complete, without its end. Not redacted. */
  get onLine(): Event<string> {
    return this.#onLine.event;
  }

  push(chunk: Buffer): void {
    const lines = (this.#partial + this.#decoder.write(chunk)).split('\n');
    this.#partial = lines.pop() ?? '';
    for (const line of lines) this.#add(line.endsWith('\r') ? line.slice(0, -1) : line);
    while (this.#partial.length > LINE_CHARS) {
      this.#add(this.#partial.slice(0, LINE_CHARS));
      this.#partial = this.#partial.slice(LINE_CHARS);
    }
    this.#trim();
  }

  /** A last line without its end counts as well. */
  end(): void {
    this.#partial += this.#decoder.end();
    if (this.#partial !== '') this.#add(this.#partial);
    this.#partial = '';
    this.#trim();
    this.#onLine.dispose();
  }

  /** The last `count` lines, oldest first, one unfinished line included. */
  tail(count: number): string {
    const lines = this.#partial === '' ? this.#lines : [...this.#lines, this.#partial];
    return count <= 0 ? '' : lines.slice(-count).join('\n');
  }

  #add(line: string): void {
    for (let start = 0; start === 0 || start < line.length; start += LINE_CHARS) {
      const piece = line.slice(start, start + LINE_CHARS);
      this.#lines.push(piece);
      this.#chars += piece.length;
      this.#onLine.fire(piece);
    }
  }

  #trim(): void {
    let drop = 0;
    while (this.#lines.length - drop > this.#maxLines || (this.#chars > this.#maxChars && drop < this.#lines.length)) {
      this.#chars -= this.#lines[drop]?.length ?? 0;
      drop++;
    }
    if (drop > 0) this.#lines = this.#lines.slice(drop);
  }
}
