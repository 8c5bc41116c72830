import { merge, type SecretRange, secretsIn } from './secretShapes.js';
import { openEndOf } from './secretTail.js';
import { mayHoldSecret } from './secretTraces.js';
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

/** A variable or a header as ACP carries them. In their JSON the name does not stand in front of the value. */
const pairValue = '"value":';

/**
 * The one redactor: whatever goes to a log, a journal, a report or a trace passes here.
 * Knows secrets by name, by shape, and by value (those that the host holds itself and registers).
 */
export class Redactor {
  readonly #values = new Set<string>();
  /** The values as they stand within a JSON string. */
  readonly #jsonValues = new Set<string>();

  /** Registers the values of an environment whose names say that they are secrets. */
  addEnvironment(env: Readonly<Record<string, string | null | undefined>>): void {
    for (const [name, value] of Object.entries(env)) {
      if (typeof value === 'string' && secretVariable.test(name) && !isOrdinaryWord(value)) this.addSecret(value);
    }
  }

  /** Registers a secret that the host holds. Short strings are ignored: they would redact ordinary text. */
  addSecret(value: string): void {
    if (value.length < 6) return;
    this.#values.add(value);
    this.#jsonValues.add(JSON.stringify(value).slice(1, -1));
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

  /** A copy of a JSON value with every secret replaced. Shapes: same as the input; members keep their order. */
  json(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return this.#list(value);
    if (typeof value !== 'object' || value === null) return value;
    const out: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value)) out[this.text(key)] = secretName.test(key) ? this.#named(member) : this.json(member);
    // ACP carries environment variables and headers as {name, value} pairs.
    if (typeof out['name'] === 'string' && typeof out['value'] === 'string' && isSecretPair(out['name']))
      out['value'] = this.#named(out['value']);
    return out;
  }

  /** The JSON of `json(value)`; costs less where no secret can be. */
  stringify(value: object): string {
    const plain = JSON.stringify(value);
    return this.#mayHoldSecret(plain) ? JSON.stringify(this.json(value)) : plain;
  }

  #list(list: readonly unknown[]): readonly unknown[] {
    return list.map((item, index) => {
      const before: unknown = list[index - 1];
      return typeof before === 'string' && secretFlag.test(before) ? this.#named(item) : this.json(item);
    });
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

  #mayHoldSecret(json: string): boolean {
    if (mayHoldSecret(json) || json.includes(pairValue)) return true;
    for (const value of this.#jsonValues) if (json.includes(value)) return true;
    return false;
  }
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
