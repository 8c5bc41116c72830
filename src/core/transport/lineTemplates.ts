/**
 * A faster JSON.parse for lines that repeat. An agent that streams sends thousands of lines that differ in one string only, and parsing
 * them takes 85 % of the time of a good host. This learns the bytes around that string from two consecutive lines, compares them with the
 * following ones, and only decodes the string. The result always equals that of JSON.parse, which a property test checks. For measurements,
 * see the rows of small updates in `npm run bench -- wire`.
 */

import { isFields } from '../base/fields.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;

/** Longer lines are parsed as usual, because decoding them takes longer than parsing the rest. */
const MAX_LINE_BYTES = 4096;
/** Answers, thoughts, and two more for other sessions. */
const MAX_TEMPLATES = 4;

/** The largest number of lines to skip, so that learning soon resumes when a stream begins to repeat. */
const MAX_REST = 64;

interface Template {
  /** Everything up to the quote before the string, inclusive. */
  readonly prefix: Buffer;
  /** Everything from the quote after the string. */
  readonly suffix: Buffer;
  readonly build: (text: string) => unknown;
}

export class LineTemplates {
  /** The most recently used one is first. */
  #templates: Template[] = [];
  /** The last line that no template matched. */
  #previous: Buffer | undefined;
  /**
   * The number of lines to skip before the next attempt to learn, and the number after the next failure. Most streams contain nothing to
   * learn.
   */
  #rest = 0;
  #restAfterFailure = 1;

  /**
   * Parses the line `buffer[start, end)` with the same result as JSON.parse.
   * @throws SyntaxError
   */
  parse(buffer: Buffer, start: number, end: number): unknown {
    if (end - start > MAX_LINE_BYTES) return JSON.parse(buffer.toString('utf8', start, end));
    for (let index = 0; index < this.#templates.length; index++) {
      const template = this.#templates[index] as Template;
      const text = match(template, buffer, start, end);
      if (text === undefined) continue;
      if (index > 0) this.#templates.unshift(...this.#templates.splice(index, 1));
      return template.build(text);
    }
    const value: unknown = JSON.parse(buffer.toString('utf8', start, end));
    if (this.#rest > 0) this.#rest--;
    else this.#learn(buffer.subarray(start, end));
    return value;
  }

  #learn(line: Buffer): void {
    const current = Buffer.from(line);
    const previous = this.#previous;
    this.#previous = current;
    if (previous === undefined) return;
    const template = learn(previous, current);
    if (template !== undefined) {
      this.#templates = [template, ...this.#templates].slice(0, MAX_TEMPLATES);
      this.#restAfterFailure = 1;
    } else {
      this.#previous = undefined;
      this.#rest = this.#restAfterFailure;
      this.#restAfterFailure = Math.min(this.#restAfterFailure * 2, MAX_REST);
    }
  }
}

/** @returns the string in a line that matches the template */
function match({ prefix, suffix }: Template, buffer: Buffer, start: number, end: number): string | undefined {
  const from = start + prefix.length;
  const to = end - suffix.length;
  if (to < from || !holds(buffer, to, suffix) || !holds(buffer, start, prefix)) return undefined;
  let plain = true;
  for (let at = from; at < to; at++) {
    const byte = buffer[at] as number;
    if (byte === BACKSLASH) plain = false;
    // An unescaped quote ends the string early; control characters are not allowed in a string.
    else if (byte < FIRST_PRINTABLE || (byte === QUOTE && plain)) return undefined;
  }
  return plain ? buffer.toString('utf8', from, to) : unescape(buffer.toString('utf8', from - 1, to + 1));
}

/** The overhead of `Buffer.compare` equals a loop over some dozens of bytes. */
const LOOP_BYTES = 64;

function holds(buffer: Buffer, at: number, expected: Buffer): boolean {
  const { length } = expected;
  if (length > LOOP_BYTES) return buffer.compare(expected, 0, length, at, at + length) === 0;
  for (let index = 0; index < length; index++) if (buffer[at + index] !== expected[index]) return false;
  return true;
}

/** @param literal including its quotes */
function unescape(literal: string): string | undefined {
  try {
    const text: unknown = JSON.parse(literal);
    return typeof text === 'string' ? text : undefined;
  } catch {
    // It is more than one string, so the line has a different structure.
    return undefined;
  }
}

/** Learns what two valid lines have in common if they differ in one string only. */
function learn(one: Buffer, other: Buffer): Template | undefined {
  const shorter = Math.min(one.length, other.length);
  let same = 0;
  while (same < shorter && one[same] === other[same]) same++;
  const quote = openQuoteBefore(one, same);
  if (quote === -1) return undefined;
  const suffix = one.subarray(closingQuote(one, quote + 1));
  if (!suffix.equals(other.subarray(closingQuote(other, quote + 1)))) return undefined;
  const prefix = one.subarray(0, quote + 1);
  const build = builder(prefix, suffix);
  return build === undefined ? undefined : { prefix, suffix, build };
}

/** Returns the position of the quote that begins the string around the given position, or -1 if that is not in a string. */
function openQuoteBefore(line: Buffer, place: number): number {
  let open = -1;
  for (let at = 0; at < place; at++) {
    if (line[at] === BACKSLASH) at++;
    else if (line[at] === QUOTE) open = open === -1 ? at : -1;
  }
  return open;
}

function closingQuote(line: Buffer, from: number): number {
  let at = from;
  while (at < line.length && line[at] !== QUOTE) at += line[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** Returns a function that creates values with the string in its place: a new value every time, as JSON.parse does. */
function builder(prefix: Buffer, suffix: Buffer): ((text: string) => unknown) | undefined {
  const marks = ['mark-1', 'mark-2'];
  const [first, second] = marks.map((mark): unknown => JSON.parse(prefix.toString('utf8') + mark + suffix.toString('utf8')));
  // Two values are needed to tell the position of the string from a text that equals the mark, or from a key or a value that is
  // overwritten.
  const path = placeOf(first, second, marks);
  return path === undefined ? undefined : rebuild(first, path);
}

/** Returns the path to the only string in which the two values differ. */
function placeOf(one: unknown, other: unknown, marks: readonly string[]): readonly string[] | undefined {
  if (one === marks[0] && other === marks[1]) return [];
  if (!isFields(one) || !isFields(other)) return undefined;
  for (const key of Object.keys(one)) {
    const rest = placeOf(one[key], other[key], marks);
    // Assigning to `__proto__` does not create a member of that name.
    if (rest !== undefined) return key === '__proto__' ? undefined : [key, ...rest];
  }
  return undefined;
}

/** Copies every object on the path, and the members next to it, so that no two values share anything. */
function rebuild(value: unknown, [key, ...rest]: readonly string[]): (text: string) => unknown {
  if (key === undefined || !isFields(value)) return (text) => text;
  const inner = rebuild(value[key], rest);
  const beside = Object.keys(value).filter((member) => member !== key && typeof value[member] === 'object' && value[member] !== null);
  return (text) => {
    const copy: Record<string, unknown> = { ...value };
    copy[key] = inner(text);
    for (const member of beside) copy[member] = structuredClone(value[member]);
    return copy;
  };
}
