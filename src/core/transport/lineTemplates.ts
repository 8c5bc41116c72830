/**
 * A faster JSON.parse for lines that repeat. An agent that streams sends thousands of lines that differ in one string only, and parsing them is
 * 85 % of what a good host does. So the bytes around that string are learned from two lines in a row, compared with those of the next ones,
 * and only the string is decoded. Equal to JSON.parse in every respect, or not applied: a property test holds the two side by side.
 * Measured (`npm run bench -- wire`): see the rows of small updates.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;

/** Longer lines are parsed as ever: in them the decoding outweighs what is around it. */
const MAX_LINE_BYTES = 4096;
/** Answer, thought, and room for two more sessions. */
const MAX_TEMPLATES = 4;

/** How long a stream may go unlearned when it changes to one that repeats. */
const MAX_REST = 64;

type Json = { readonly [key: string]: unknown };

interface Template {
  /** Up to and with the quote before the string. */
  readonly prefix: Buffer;
  /** From the quote after it. */
  readonly suffix: Buffer;
  readonly build: (text: string) => unknown;
}

export class LineTemplates {
  /** The one used last first. */
  #templates: Template[] = [];
  /** The last line that no template fitted. */
  #previous: Buffer | undefined;
  /** Lines to be left alone before the next try to learn, and how many it will be after a failure: most streams hold nothing to learn. */
  #rest = 0;
  #restAfterFailure = 1;

  /** The value of the line `buffer[start, end)`, the same as JSON.parse gives. @throws SyntaxError */
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

/** @returns the string of a line that is made as the template says */
function match({ prefix, suffix }: Template, buffer: Buffer, start: number, end: number): string | undefined {
  const from = start + prefix.length;
  const to = end - suffix.length;
  if (to < from || !holds(buffer, to, suffix) || !holds(buffer, start, prefix)) return undefined;
  let plain = true;
  for (let at = from; at < to; at++) {
    const byte = buffer[at] as number;
    if (byte === BACKSLASH) plain = false;
    // A quote that is not escaped ends the string early; control characters are not allowed in one.
    else if (byte < FIRST_PRINTABLE || (byte === QUOTE && plain)) return undefined;
  }
  return plain ? buffer.toString('utf8', from, to) : unescape(buffer.toString('utf8', from - 1, to + 1));
}

/** What `Buffer.compare` costs before it looks at a byte is that of a loop over some dozens of them. */
const LOOP_BYTES = 64;

function holds(buffer: Buffer, at: number, expected: Buffer): boolean {
  const { length } = expected;
  if (length > LOOP_BYTES) return buffer.compare(expected, 0, length, at, at + length) === 0;
  for (let index = 0; index < length; index++) if (buffer[at + index] !== expected[index]) return false;
  return true;
}

/** @param literal with its quotes */
function unescape(literal: string): string | undefined {
  try {
    const text: unknown = JSON.parse(literal);
    return typeof text === 'string' ? text : undefined;
  } catch {
    // Something else than one string: the line is made another way.
    return undefined;
  }
}

/** What two valid lines have in common, if all that they differ in is one string. */
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

/** The quote that begins the string in which the place lies; -1 when it lies in none. */
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

/** Makes values with the string at its place: a fresh one every time, as JSON.parse does. */
function builder(prefix: Buffer, suffix: Buffer): ((text: string) => unknown) | undefined {
  const marks = ['mark-1', 'mark-2'];
  const [first, second] = marks.map((mark): unknown => JSON.parse(prefix.toString('utf8') + mark + suffix.toString('utf8')));
  // Two values tell the place of the string from a text that happens to be the mark, and a key or a value that is overwritten from a place.
  const path = placeOf(first, second, marks);
  return path === undefined ? undefined : rebuild(first, path);
}

/** The way to the one string in which the two differ. */
function placeOf(one: unknown, other: unknown, marks: readonly string[]): readonly string[] | undefined {
  if (one === marks[0] && other === marks[1]) return [];
  if (!isObject(one) || !isObject(other)) return undefined;
  for (const key of Object.keys(one)) {
    const rest = placeOf(one[key], other[key], marks);
    // Assigning to `__proto__` would be something else than having a member of that name.
    if (rest !== undefined) return key === '__proto__' ? undefined : [key, ...rest];
  }
  return undefined;
}

/** Copies what lies on the path; the members beside it are copied as well, so that no two values share anything. */
function rebuild(value: unknown, [key, ...rest]: readonly string[]): (text: string) => unknown {
  if (key === undefined || !isObject(value)) return (text) => text;
  const inner = rebuild(value[key], rest);
  const beside = Object.keys(value).filter((member) => member !== key && typeof value[member] === 'object' && value[member] !== null);
  return (text) => {
    const copy: Record<string, unknown> = { ...value };
    copy[key] = inner(text);
    for (const member of beside) copy[member] = structuredClone(value[member]);
    return copy;
  };
}

/** Arrays are left to JSON.parse. */
function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
