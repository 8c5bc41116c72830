import type { Readable } from 'node:stream';
import { HostError, systemFacts } from '../base/errors.js';
import { withExactId } from '../base/exactId.js';
import { parseJson } from '../base/parseJson.js';
import { isWithin, maxLevels } from './jsonDepth.js';
import { defaultLineLimits, type LineLimits, LineSplitter } from './lineSplitter.js';
import { LineTemplates } from './lineTemplates.js';

/** Users only need to see the beginning of a noise line. */
const NOISE_HEAD_BYTES = 2048;

export interface NdjsonSink {
  /** Gets one JSON value, synchronously, in the order of the stream. `bytes` is the length of its line. */
  onValue(value: unknown, bytes: number): void;
  /** Whether an object that shares its line with other text is a message. */
  isMessage(value: unknown): boolean;
  /** Gets the beginning of a line that is not JSON. `isRead`: it is what surrounded messages, which follow. */
  onNoise(text: string, bytes: number, isRead: boolean): void;
  /** A line over the limit, or nested too deeply, was dropped; `head` is its beginning. The stream continues. */
  onLineTooLong(head: string): void;
  /** Called once, after the last value. `error` is absent at a regular end of file. */
  onEnd(error: HostError | undefined): void;
}

/**
 * The read loop: bytes → lines → values. It never waits for its consumers; one that can't keep up pauses it. It starts paused, but listens
 * to the source from the beginning, because Node resumes the pipes of a process that exited, and data without a listener would be lost.
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
      this.#sourceEnded(new HostError('agent_exited', { reason: 'read_failed', ...systemFacts(error) }, { cause: error })),
    );
  }

  /** The beginning of the last line while it has no end. */
  get unfinished(): string | undefined {
    const text = this.#splitter.unfinished.toString('utf8').trim();
    return text === '' ? undefined : text;
  }

  /** Delivers no further value until `resume`. */
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
    // A consumer may pause again while it gets what was held back.
    if (this.#paused) return;
    if (this.#sourceEnd !== undefined) this.#finish(this.#sourceEnd.error);
    else this.#source.resume();
  }

  /** Delivers nothing more, not even the end. The source continues to flow, so that its process is not blocked. */
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
      return this.#search(buffer.toString('utf8', start, end), end - start);
    }
    const exact = withExactId(value, () => buffer.toString('utf8', start, end));
    this.#deliver(exact, end - start, () => buffer.toString('utf8', start, start + NOISE_HEAD_BYTES));
  }

  /** Programs also print titles, progress and log text, and do not always end the line. */
  #search(line: string, bytes: number): void {
    const { values, rest } = messagesInLine(line, (value) => this.#sink.isMessage(value));
    const noise = values.length === 0 ? line.trim() : rest;
    // The remains of a message that was cut may be a part of the answer.
    if (noise !== '') this.#sink.onNoise(noise.slice(0, NOISE_HEAD_BYTES), bytes, values.length > 0 && !rest.includes('{"'));
    for (const found of values)
      this.#deliver(
        withExactId(found.value, () => line),
        found.bytes,
        () => line.slice(0, NOISE_HEAD_BYTES),
      );
  }

  #deliver(value: unknown, bytes: number, head: () => string): void {
    // A shorter line cannot contain that many levels.
    if (bytes <= 2 * maxLevels || isWithin(value, maxLevels)) this.#sink.onValue(value, bytes);
    else this.#sink.onLineTooLong(head());
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

/** Finds messages on a line that is not JSON as a whole, because something else was written to the same line. */

interface FoundInLine {
  readonly values: readonly { readonly value: unknown; readonly bytes: number }[];
  /** Everything around the messages that users could read; empty if there is nothing but terminal codes. */
  readonly rest: string;
}

/** Codes with brackets that are none of the text. JSON cannot contain their first character. */
const escapes = /\u001B(?:\][^\u0007\u001B{]*|\[[0-?]*[ -/]*[@-z|}~]?)/g;

/** Terminal titles and other strings, codes such as colors, and control characters including a byte order mark. */
const unseen =
  /(?:\u001B[\]PX^_]|[\u0090\u0098\u009D-\u009F])[^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)?|(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]?|\u001B[ -/]*[0-~]?|[\u0000-\u001F\u007F-\u009F\uFEFF\uFFFD]/g;

/** How often the whole line may be searched, because noise may open brackets that it never closes. */
const searches = 4;
const searchedChars = 20_000;

/**
 * A message is an object that is inside of nothing else: what a log line quotes in an object or a list of its own is none.
 * @param isMessage tells messages from other objects, such as those in log lines
 */
function messagesInLine(written: string, isMessage: (value: unknown) => boolean): FoundInLine {
  const line = written.replaceAll(escapes, '');
  const values: FoundInLine['values'][number][] = [];
  let rest = '';
  let kept = 0;
  let budget = searches * line.length + searchedChars;
  for (let start = nextOpening(line, 0); start !== -1 && budget > 0; ) {
    const { end, quoted } = closing(line, start);
    budget -= (end ?? line.length) - start;
    const value = end === undefined ? undefined : parseJson(line.slice(start, end));
    if (end !== undefined && value !== undefined && isMessage(value)) {
      values.push({ value, bytes: Buffer.byteLength(line.slice(start, end)) });
      rest += line.slice(kept, start);
      kept = end;
    }
    const next = value !== undefined ? end : end === undefined ? start + 1 : (quoted ?? end);
    start = nextOpening(line, next ?? line.length);
  }
  return { values, rest: (rest + line.slice(kept)).replaceAll(unseen, '').trim() };
}

function nextOpening(line: string, from: number): number {
  for (let at = from; at < line.length; at++) if (line[at] === '{' || line[at] === '[') return at;
  return -1;
}

/**
 * @returns the position after the bracket that closes the one at `start`, and the first brace that seems to be in a string: if what is
 * between the brackets is no JSON, a quotation mark without its counterpart may be the reason
 */
function closing(line: string, start: number): { readonly end?: number; readonly quoted?: number } {
  let depth = 0;
  let inString = false;
  let quoted: number | undefined;
  for (let at = start; at < line.length; at++) {
    const char = line[at];
    if (char === '"') inString = !inString;
    else if (inString) {
      if (char === '\\') at++;
      else if (char === '{') quoted ??= at;
    } else if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth === 0) return { end: at + 1, ...(quoted !== undefined && { quoted }) };
  }
  return {};
}
