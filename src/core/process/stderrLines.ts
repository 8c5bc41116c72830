import { StringDecoder } from 'node:string_decoder';
import { Emitter, type Event } from '../base/event.js';

/** Longer lines are split into pieces. */
const lineChars = 8 * 1024;

/** Splits a program's stderr into lines. Bounded whatever the program writes; a character that is split between chunks stays whole. */
export class StderrLines {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLine = new Emitter<string>();
  readonly #onPartial = new Emitter<string>();
  #partial = '';

  /** Each complete line without its line ending. Not redacted. */
  get onLine(): Event<string> {
    return this.#onLine.event;
  }

  /** The incomplete last line, whenever it changes; empty when it is complete. */
  get onPartial(): Event<string> {
    return this.#onPartial.event;
  }

  push(chunk: Buffer): void {
    const before = this.#partial;
    const lines = (this.#partial + this.#decoder.write(chunk)).split('\n');
    this.#partial = lines.pop() ?? '';
    for (const line of lines) this.#emit(line.endsWith('\r') ? line.slice(0, -1) : line);
    while (this.#partial.length > lineChars) {
      this.#onLine.fire(this.#partial.slice(0, lineChars));
      this.#partial = this.#partial.slice(lineChars);
    }
    if (this.#partial !== before) this.#onPartial.fire(this.#partial);
  }

  /** A last line without a line ending counts too. */
  end(): void {
    this.#partial += this.#decoder.end();
    if (this.#partial !== '') this.#emit(this.#partial);
    this.#partial = '';
    this.#onPartial.fire('');
    this.#onLine.dispose();
    this.#onPartial.dispose();
  }

  #emit(line: string): void {
    for (let start = 0; start === 0 || start < line.length; start += lineChars) this.#onLine.fire(line.slice(start, start + lineChars));
  }
}
