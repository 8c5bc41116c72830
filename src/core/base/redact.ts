import { type Fields, isFields } from './fields.js';
import { merge, type SecretRange, secretsIn } from './secretShapes.js';
import { openEndOf } from './secretTail.js';
import { isOrdinaryWord, isPlaceholder } from './secretValue.js';

/** Stands in place of a secret. */
export const redactedMark = '[redacted]';

/** Names of members and variables whose value is a secret, whatever it looks like: as the end of the name, so that `secretary` is none. */
const secretName =
  /(?:api[-_]?key|apikey|access[-_]?key|secret[-_]?key|private[-_]?key|account[-_]?key|signing[-_]?key|authorization|password|passwd|passphrase|secret|(?:^|[-_])pwd|(?:^|[-_]|auth|access|refresh|session|bearer|bot)[-_]?token|credentials?|cookies?)$/i;
/** Of an environment: also with something behind, as in `SECRET_KEY_BASE`. */
const secretVariable = /(?:API_?KEY|AUTHORIZATION|PASSW|PASSPHRASE|SECRET|CREDENTIAL|COOKIE|PRIVATE_?KEY|_KEY$|TOKEN$|_PAT$|_PWD$)/i;
/** An argument whose value is the next one. */
const secretFlag = /^--?[a-z-]*(?:api[-_]?key|password|passwd|passphrase|secret|token|credentials?)$/i;

/** No shape is shorter, and no value that is registered. */
const shortestSecret = 6;
/** The names of members are few, and the same in each message. */
const namesKept = 1_000;
const longestKeptName = 64;

/** The name of a member: as it may be shown, and whether its value is a secret. */
interface MemberName {
  readonly text: string;
  readonly isSecret: boolean;
}

/**
 * The one redactor: whatever goes to a log, a journal, a report or a trace passes here.
 * Knows secrets by name, by shape, and by value (those that the host holds itself and registers).
 */
export class Redactor {
  readonly #values = new Set<string>();
  /** What was found out about names, as long as no value is added. */
  readonly #names = new Map<string, MemberName>();

  /** Registers the values of an environment whose names say that they are secrets. */
  addEnvironment(env: Readonly<Record<string, string | null | undefined>>): void {
    for (const [name, value] of Object.entries(env)) {
      if (typeof value === 'string' && secretVariable.test(name) && !isOrdinaryWord(value)) this.addSecret(value);
    }
  }

  /** Registers a secret that the host holds. Short strings are ignored: they would redact ordinary text. */
  addSecret(value: string): void {
    if (value.length < shortestSecret) return;
    this.#values.add(value);
    this.#names.clear();
  }

  text(text: string): string {
    return cutOut(text, this.secretsIn(text));
  }

  /** Where the secrets of a text are, in order, without overlaps. */
  secretsIn(text: string): readonly SecretRange[] {
    if (this.#values.size === 0) return secretsIn(text);
    return merge([...secretsIn(text), ...[...this.#values].flatMap((value) => occurrences(text, value))]);
  }

  /** Where the end of a text begins that may be the first part of a secret; its length where there is none. */
  tailAt(text: string): number {
    return openEndOf(text, this.#values);
  }

  /**
   * Texts that together are one, redacted together: a secret is found also where it is spread over several of them. The mark stands where the
   * secret begins. As many texts as there were.
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

  /** A JSON value with every secret replaced: the very same where there is none. Shapes: same as the input; members keep their order. */
  json(value: unknown): unknown {
    if (typeof value === 'string') return value.length < shortestSecret ? value : this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    return Array.isArray(value) ? this.#list(value) : isFields(value) ? this.#members(value) : value;
  }

  /** The JSON of `json(value)`. */
  stringify(value: object): string {
    return JSON.stringify(this.json(value));
  }

  #members(members: Fields): Fields {
    let copy: Record<string, unknown> | undefined;
    for (const key of Object.keys(members)) {
      const [name, member] = [this.#nameOf(key), members[key]];
      const redacted = name.isSecret ? this.#named(member) : this.json(member);
      if (copy === undefined && (redacted !== member || name.text !== key)) copy = membersBefore(members, key);
      if (copy !== undefined) copy[name.text] = redacted;
    }
    const out = copy ?? members;
    const { name, value } = out;
    // ACP carries environment variables and headers as {name, value} pairs.
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
    if (this.#names.size < namesKept && key.length <= longestKeptName) this.#names.set(key, name);
    return name;
  }

  /** The value of a name that says it is a secret. */
  #named(value: unknown): unknown {
    if (typeof value === 'string') return isPlaceholder(value) ? value : redactedMark;
    return this.#secret(value);
  }

  /** What stands somewhere below such a name: all of it, but for what only describes a secret, as in a schema. */
  #secret(value: unknown): unknown {
    if (typeof value === 'string') return isOrdinaryWord(value) ? value : redactedMark;
    if (typeof value === 'number') return redactedMark;
    if (Array.isArray(value)) return value.map((item) => this.#secret(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [this.text(key), this.#secret(member)]));
  }
}

/** A copy of what stands in front of one of them. */
function membersBefore(members: Fields, end: string): Record<string, unknown> {
  const names = Object.keys(members);
  return Object.fromEntries(names.slice(0, names.indexOf(end)).map((name) => [name, members[name]]));
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
  /** It began in an earlier text, and the mark stands there. */
  readonly isRest?: boolean;
}

/** The part of a range that lies between two places, counted from the first. */
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
