import { StringDecoder } from 'node:string_decoder';
import { Emitter, type Event } from '../base/event.js';

/** Longer lines are cut into pieces. */
const lineChars = 8 * 1024;

/** A program's stderr, line by line. Bounded whatever the program writes; a character split between chunks stays whole. */
export class StderrLines {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLine = new Emitter<string>();
  readonly #onPartial = new Emitter<string>();
  #partial = '';

  /** Each line when it is complete, without its end. Not redacted. */
  get onLine(): Event<string> {
    return this.#onLine.event;
  }

  /** The line that has no end yet, whenever it changed; empty when it is complete. */
  get onPartial(): Event<string> {
    return this.#onPartial.event;
  }

  push(chunk: Buffer): void {
    const before = this.#partial;
    const lines = (this.#partial + this.#decoder.write(chunk)).split('\n');
    this.#partial = lines.pop() ?? '';
    for (const line of lines) this.#tell(line.endsWith('\r') ? line.slice(0, -1) : line);
    while (this.#partial.length > lineChars) {
      this.#onLine.fire(this.#partial.slice(0, lineChars));
      this.#partial = this.#partial.slice(lineChars);
    }
    if (this.#partial !== before) this.#onPartial.fire(this.#partial);
  }

  /** A last line without its end counts as well. */
  end(): void {
    this.#partial += this.#decoder.end();
    if (this.#partial !== '') this.#tell(this.#partial);
    this.#partial = '';
    this.#onPartial.fire('');
    this.#onLine.dispose();
    this.#onPartial.dispose();
  }

  #tell(line: string): void {
    for (let start = 0; start === 0 || start < line.length; start += lineChars) this.#onLine.fire(line.slice(start, start + lineChars));
  }
}
