import { type Fields, isFields } from './fields.js';
import { isChosen, isGenerated, isOrdinaryWord, isPlaceholder, merge, type SecretRange, secretsIn } from './secretShapes.js';
import { openEndOf } from './secretTail.js';
import { mayHoldSecret } from './secretTraces.js';

/** Replaces a secret. */
export const redactedMark = '[redacted]';

/** Matches names of members and variables whose value is always a secret. Matches at the end of the name, so `secretary` does not match. */
const secretName =
  /(?:api[-_]?key|access[-_]?key|secret[-_]?key|private[-_]?key|account[-_]?key|signing[-_]?key|authorization|password|passwd|passphrase|secret|(?:^|[-_])pwd|(?:^|[-_]|auth|access|refresh|session|bearer|bot)[-_]?token|credentials?|cookies?)$/i;
/** Matches environment variables. These may continue after the word, as in `SECRET_KEY_BASE`. */
const secretVariable = /(?:API_?KEY|AUTHORIZATION|PASSW|PASSPHRASE|SECRET|CREDENTIAL|COOKIE|PRIVATE_?KEY|_KEY$|TOKEN$|_PAT$|_PWD$)/i;
/** A command-line option whose value is the next argument. */
const secretFlag = /^--?[a-z-]*(?:api[-_]?key|password|passwd|passphrase|secret|token|credentials?)$/i;

/** An option that in the command of an agent is most likely its key. */
const keyFlag = /^(?:-k|--?[a-z-]*key)$/i;
const keyInText = /(\s-k[ =]?)(\S+)/g;

/** No shape and no registered value is shorter. */
const shortestSecret = 6;
/** Messages contain the same few names of members and the same IDs again and again, so their results are cached. */
const textsKept = 1_000;
const longestKept = 64;

/** The name of a member as it may be shown, and whether its value is a secret. */
interface MemberName {
  readonly text: string;
  readonly isSecret: boolean;
}

/**
 * The only redactor: everything that goes to a log, a journal, a report or a trace passes through it. It knows secrets by name, by shape,
 * and by value, if the host registered the value.
 */
export class Redactor {
  readonly #values = new Set<string>();
  /** Cached results for names; cleared when a value is added. */
  readonly #names = new Map<string, MemberName>();
  /** Short texts without a secret; cleared when a value is added. Agents repeat an ID in each chunk, and an ID looks like a generated secret. */
  readonly #harmless = new Set<string>();

  /** Registers the values of environment variables whose names indicate a secret. */
  addEnvironment(env: Readonly<Record<string, string | null | undefined>>): void {
    for (const [name, value] of Object.entries(env)) {
      if (typeof value === 'string' && secretVariable.test(name) && !isOrdinaryWord(value)) this.addSecret(value);
    }
  }

  /** Registers a secret that the host holds. Ignores short strings, which would redact ordinary text. */
  addSecret(value: string): void {
    if (value.length < shortestSecret) return;
    this.#values.add(value);
    this.#names.clear();
    this.#harmless.clear();
  }

  text(text: string): string {
    if (this.#values.size === 0 && !mayHoldSecret(text)) return text;
    const isShort = text.length <= longestKept;
    if (isShort && this.#harmless.has(text)) return text;
    const ranges = this.secretsIn(text);
    if (ranges.length > 0) return cutOut(text, ranges);
    if (this.#harmless.size >= textsKept) this.#harmless.clear();
    if (isShort) this.#harmless.add(text);
    return text;
  }

  /** Returns the secrets in a text, in order and without overlaps. */
  secretsIn(text: string): readonly SecretRange[] {
    if (this.#values.size === 0) return secretsIn(text);
    return merge([...secretsIn(text), ...[...this.#values].flatMap((value) => occurrences(text, value))]);
  }

  /** Returns where the end of the text begins that may be the first part of a secret; the length of the text if there is none. */
  tailAt(text: string): number {
    return openEndOf(text, this.#values);
  }

  /**
   * Redacts the command of an agent, which is saved. Nobody misses a generated value there, whatever its variable or option is called:
   * without it, the user specifies the command again.
   */
  command(argv: readonly string[]): readonly string[] {
    return argv.map((word, index) => {
      const before = argv[index - 1] ?? '';
      if (keyFlag.test(before) || secretFlag.test(before)) return isPlaceholder(word) ? word : redactedMark;
      const [, name = '', value = ''] = /^(-k|[\w-]+=)(.*)$/s.exec(word) ?? [];
      const isSecret =
        value !== '' && !value.includes('/') && (isGenerated(value) || (secretVariable.test(name.slice(0, -1)) && isChosen(value)));
      if (isSecret) return `${name}${redactedMark}`;
      return this.text(word.replaceAll(keyInText, (all, flag: string, key: string) => (isGenerated(key) ? `${flag}${redactedMark}` : all)));
    });
  }

  /**
   * Redacts texts that are parts of one text, so that it also finds a secret that spans several of them. The mark replaces the secret where
   * it begins. Returns as many texts as it got.
   */
  pieces(pieces: readonly string[]): readonly string[] {
    const ranges = this.secretsIn(pieces.join(''));
    let start = 0;
    return pieces.map((piece) => {
      const own = ranges.flatMap((range) => within(range, start, start + piece.length));
      start += piece.length;
      return own.length === 0 ? piece : cutOut(piece, own);
    });
  }

  /**
   * Replaces every secret in a JSON value. Returns the same object if there is none; otherwise a copy of the same shape, with members in
   * the same order.
   */
  json(value: unknown): unknown {
    if (typeof value === 'string') return value.length < shortestSecret ? value : this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    return Array.isArray(value) ? this.#list(value) : isFields(value) ? this.#members(value) : value;
  }

  /** Returns the JSON text of `json(value)`. */
  stringify(value: object): string {
    return JSON.stringify(this.json(value));
  }

  #members(members: Fields): Fields {
    // Not an object: assigning a member `__proto__` would lose it.
    let copy: [string, unknown][] | undefined;
    for (const key of Object.keys(members)) {
      const [name, member] = [this.#nameOf(key), members[key]];
      const redacted = name.isSecret ? this.#named(member) : this.json(member);
      if (copy === undefined && (redacted !== member || name.text !== key)) copy = membersBefore(members, key);
      copy?.push([name.text, redacted]);
    }
    const out: Fields = copy === undefined ? members : fieldsOf(copy);
    const { name, value } = out;
    // ACP sends environment variables and headers as {name, value} pairs.
    return typeof name === 'string' && typeof value === 'string' && isSecretPair(name) ? { ...out, value: this.#named(value) } : out;
  }

  #list(list: readonly unknown[]): readonly unknown[] {
    let copy: unknown[] | undefined;
    for (const [index, item] of list.entries()) {
      const before: unknown = list[index - 1];
      const redacted = typeof before === 'string' && secretFlag.test(before) ? this.#named(item) : this.json(item);
      if (redacted !== item) copy ??= list.slice(0, index);
      copy?.push(redacted);
    }
    return copy ?? list;
  }

  #nameOf(key: string): MemberName {
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const name = { text: this.text(key), isSecret: secretName.test(key) };
    if (this.#names.size < textsKept && key.length <= longestKept) this.#names.set(key, name);
    return name;
  }

  /** Redacts the value of a member whose name indicates a secret. */
  #named(value: unknown): unknown {
    if (typeof value === 'string') return isPlaceholder(value) ? value : redactedMark;
    return this.#secret(value);
  }

  /** Redacts everything below such a name, except what only describes a secret, as in a schema. */
  #secret(value: unknown): unknown {
    if (typeof value === 'string') return isOrdinaryWord(value) ? value : redactedMark;
    if (typeof value === 'number') return redactedMark;
    if (Array.isArray(value)) return value.map((item) => this.#secret(item));
    if (typeof value !== 'object' || value === null) return value;
    return fieldsOf(Object.entries(value).map(([key, member]) => [this.text(key), this.#secret(member)]));
  }
}

/** Numbers the names that became the same, so that no member is lost. */
function fieldsOf(members: readonly (readonly [string, unknown])[]): Fields {
  const all = new Map<string, unknown>();
  const counts = new Map<string, number>();
  for (const [name, value] of members) {
    let count = counts.get(name) ?? 0;
    let free = name;
    while (all.has(free)) free = `${name} ${++count + 1}`;
    counts.set(name, count);
    all.set(free, value);
  }
  return Object.fromEntries(all);
}

/** Returns a copy of the members before `end`. */
function membersBefore(members: Fields, end: string): [string, unknown][] {
  const names = Object.keys(members);
  return names.slice(0, names.indexOf(end)).map((name) => [name, members[name]]);
}

function isSecretPair(name: string): boolean {
  return secretName.test(name) || secretVariable.test(name);
}

function occurrences(text: string, value: string): readonly SecretRange[] {
  const found: SecretRange[] = [];
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
    found.push({ start: at, end: at + value.length });
  return found;
}

interface Cut extends SecretRange {
  /** The secret began in an earlier text, which contains the mark. */
  readonly isRest?: boolean;
}

/** Returns the part of a range between two positions, relative to the first one. */
function within({ start, end }: SecretRange, from: number, to: number): readonly Cut[] {
  if (end <= from || start >= to) return [];
  return [{ start: Math.max(start, from) - from, end: Math.min(end, to) - from, isRest: start < from }];
}

function cutOut(text: string, ranges: readonly Cut[]): string {
  if (ranges.length === 0) return text;
  let out = '';
  let at = 0;
  for (const { start, end, isRest = false } of ranges) {
    out += text.slice(at, start) + (isRest ? '' : redactedMark);
    at = end;
  }
  return out + text.slice(at);
}
