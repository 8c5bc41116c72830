import type { Readable } from 'node:stream';
import { HostError } from '../base/errors.js';
import { isWithin, maxLevels } from './jsonDepth.js';
import { type LineLimits, LineSplitter, defaultLineLimits } from './lineSplitter.js';
import { LineTemplates } from './lineTemplates.js';

/** A noise line is shown to people: this much of it is enough. */
const NOISE_HEAD_BYTES = 2048;

export interface NdjsonSink {
  /** One JSON value, synchronously, in the order of the stream. `bytes`: length of its line. */
  onValue(value: unknown, bytes: number): void;
  /** A line that is no JSON, cut to its head. */
  onNoise(text: string, bytes: number): void;
  /** A line over the limit, or nested too deeply, was dropped; `head` is its start. The stream goes on. */
  onLineTooLong(head: string): void;
  /** Once, after the last value. `error` is absent at an ordinary end of file. */
  onEnd(error: HostError | undefined): void;
}

/**
 * The reading loop: bytes → lines → values. Never waits for anybody; who cannot keep up pauses it. Starts paused, but holds on to the source
 * from the beginning: Node resumes the pipes of a process that exited, and what nobody listens to then is lost.
 */
export class NdjsonReader {
  readonly #source: Readable;
  readonly #sink: NdjsonSink;
  readonly #splitter: LineSplitter;
  readonly #templates = new LineTemplates();
  #paused = true;
  #ended = false;
  /** The source ended while values were held back. */
  #sourceEnd: { readonly error: HostError | undefined } | undefined;

  constructor(source: Readable, sink: NdjsonSink, limits: LineLimits = defaultLineLimits) {
    this.#source = source;
    this.#sink = sink;
    this.#splitter = new LineSplitter(
      {
        onLine: (buffer, start, end) => this.#line(buffer, start, end),
        onLineTooLong: (head) => sink.onLineTooLong(head.toString('utf8')),
        onGiveUp: () => this.#giveUp(),
      },
      limits,
    );
    this.#splitter.pause();
    source.pause();
    source.on('data', (chunk: Buffer) => {
      if (this.#paused) source.pause();
      if (!this.#ended) this.#splitter.push(chunk);
    });
    source.on('end', () => this.#sourceEnded(undefined));
    source.on('close', () => this.#sourceEnded(undefined));
    source.on('error', (error) =>
      this.#sourceEnded(new HostError('agent_exited', { reason: 'read_failed', detail: error.message }, { cause: error })),
    );
  }

  /** Not one more value until `resume`. */
  pause(): void {
    if (this.#paused || this.#ended) return;
    this.#paused = true;
    this.#splitter.pause();
    this.#source.pause();
  }

  resume(): void {
    if (!this.#paused || this.#ended) return;
    this.#paused = false;
    this.#splitter.resume();
    // A consumer may pause again while it is handed what was held back.
    if (this.#paused) return;
    if (this.#sourceEnd !== undefined) this.#finish(this.#sourceEnd.error);
    else this.#source.resume();
  }

  /** Delivers nothing more, also not the end; the source flows on into nothing, so that its process is not blocked. */
  dispose(): void {
    this.#ended = true;
    this.#paused = false;
    this.#source.resume();
  }

  #line(buffer: Buffer, start: number, end: number): void {
    if (end === start || this.#ended) return;
    let value: unknown;
    try {
      value = this.#templates.parse(buffer, start, end);
    } catch {
      const text = buffer.toString('utf8', start, Math.min(end, start + NOISE_HEAD_BYTES));
      if (text.trim() !== '') this.#sink.onNoise(text, end - start);
      return;
    }
    // A shorter line has no room for so many levels.
    if (end - start <= 2 * maxLevels || isWithin(value, maxLevels)) return this.#sink.onValue(value, end - start);
    this.#sink.onLineTooLong(buffer.toString('utf8', start, start + NOISE_HEAD_BYTES));
  }

  #sourceEnded(error: HostError | undefined): void {
    if (this.#ended || this.#sourceEnd !== undefined) return;
    if (this.#paused) this.#sourceEnd = { error };
    else this.#finish(error);
  }

  #finish(error: HostError | undefined): void {
    if (this.#ended) return;
    this.#splitter.end();
    this.#ended = true;
    this.#sink.onEnd(error);
  }

  #giveUp(): void {
    this.#ended = true;
    this.#source.destroy();
    this.#sink.onEnd(new HostError('line_too_long', { reason: 'endless_line' }));
  }
}
