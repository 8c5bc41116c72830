const replacement = '[redacted]';

/** Names of members and variables whose value is a secret, whatever it looks like. */
const secretName =
  /(?:api[-_]?key|apikey|authorization|password|passwd|secret|(?:^|[-_])token$|access[-_]?token|refresh[-_]?token|credential|private[-_]?key|cookie)/i;

/** Shapes that are secrets wherever they stand: provider keys, bearer tokens, JWTs, PEM blocks, credentials in a URL. Linear in the text, whatever it is. */
const secretShapes: readonly RegExp[] = [
  /\b(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abprs]|hf|gsk|AIza)[-_][A-Za-z0-9_-]{8,}/g,
  /\bAIza[A-Za-z0-9_-]{20,}/g,
  /\bAKIA[A-Z0-9]{12,}/g,
  /\bBearer\s+[A-Za-z0-9._~+/=-]{8,}/gi,
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
  // Also without its end, where the text was cut.
  /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:(?!-----)[\s\S]){0,8192}(?:-----END [A-Z ]*PRIVATE KEY-----)?/g,
  /(?<=:\/\/)[^\s/:@]+:[^\s/@]+(?=@)/g,
];

/** `NAME_KEY=value`, `"api_key": "value"`, `--token value`: the name says that the value is a secret. */
const namedSecret =
  /((?:api[-_]?key|apikey|password|passwd|secret|access[-_]?token|refresh[-_]?token|private[-_]?key)["']?\s*[:=]\s*["']?)([^\s"',;}&]{4,})/gi;

/** The end of a text that goes on with more of a secret, or with its first letter. */
const openEnd = new RegExp(
  [
    String.raw`(?<![A-Za-z0-9_])(?:sk|pk|rk|gh[pousr]|github_pat|glpat|xox[abprs]|hf|gsk|AIza)[-_][A-Za-z0-9_-]*`,
    String.raw`(?<![A-Za-z0-9_])(?:AIza|AKIA|eyJ)[A-Za-z0-9_.-]*`,
    String.raw`\bBearer\s+[A-Za-z0-9._~+/=-]*`,
    String.raw`(?:api[-_]?key|password|passwd|secret|(?:access|refresh)[-_]?token|private[-_]?key)["']?\s*[:=]\s*["']?[^\s"',;}&]*`,
    String.raw`:\/\/[^\s/@]*`,
  ]
    .map((shape) => `(?:${shape})$`)
    .join('|'),
  'i',
);
const keyBegin = '-----BEGIN ';
/** What ends with a beginning of one of these, may go on with the rest of it and a secret. */
const openings = [
  'sk-',
  'pk-',
  'rk-',
  'ghp_',
  'gho_',
  'ghs_',
  'ghu_',
  'github_pat_',
  'glpat-',
  'xoxa-',
  'xoxb-',
  'xoxp-',
  'xoxr-',
  'xoxs-',
  'hf_',
  'gsk_',
  'aiza',
  'akia',
  'eyj',
  'bearer ',
  'api_key=',
  'api-key=',
  'apikey=',
  'password=',
  'passwd=',
  'secret=',
  'access_token=',
  'access-token=',
  'accesstoken=',
  'refresh_token=',
  'private_key=',
  keyBegin.toLowerCase(),
  '://',
];
const openingChars = Math.max(...openings.map(({ length }) => length));
const openingBeginnings = new Set(openings.flatMap((word) => Array.from(word, (_, index) => word.slice(0, index + 1))));
/** Longer secrets are looked for by their beginning. */
const openEndChars = 4_096;

/**
 * Stands in the JSON of every value that holds a secret by name or by shape, and in some others. Looser than the rules above, because JSON writes
 * a line break as letters.
 */
const suspicious =
  /(?:api|private)[-_]?key|authorization|passw|secret|token"|(?:access|refresh)[-_]?token|credential|cookie|:\/\/[^\s/]*@|bearer|-----BEGIN|eyJ|AKIA|AIza|(?:sk|pk|rk|gh[pousr]|github_pat|glpat|xox[abprs]|hf|gsk)[-_][a-z0-9_-]{8}/i;

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
    for (const [name, value] of Object.entries(env)) if (typeof value === 'string' && secretName.test(name)) this.addSecret(value);
  }

  /** Registers a secret that the host holds. Short strings are ignored: they would redact ordinary text. */
  addSecret(value: string): void {
    if (value.length < 6) return;
    this.#values.add(value);
    this.#jsonValues.add(JSON.stringify(value).slice(1, -1));
  }

  text(text: string): string {
    let out = text;
    for (const value of this.#values) if (out.includes(value)) out = out.replaceAll(value, replacement);
    for (const shape of secretShapes) out = out.replace(shape, replacement);
    return out.replace(namedSecret, (_, name: string) => `${name}${replacement}`);
  }

  /** Where the end of a text begins that may be the first part of a secret; its length where there is none. */
  tailAt(text: string): number {
    const start = Math.max(0, text.length - openEndChars);
    const end = text.slice(start);
    const shape = end.search(openEnd);
    // The dashes at the end of a key are not those of the next one.
    const beginning = /-----END [A-Z ]*-----$/.test(end)
      ? 0
      : Math.max(openingAtEnd(end.slice(-openingChars - 1).toLowerCase()), ...[...this.#values].map((value) => overlap(end, value)));
    const key = text.lastIndexOf(keyBegin);
    const isOpenKey = key >= 0 && !/-----END [A-Z ]*-----/.test(text.slice(key));
    return Math.min(shape < 0 ? text.length : start + shape, text.length - beginning, isOpenKey ? key : text.length);
  }

  /** A copy of a JSON value with every secret replaced. Shapes: same as the input; object keys keep their order. */
  json(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.json(item));
    if (typeof value !== 'object' || value === null) return value;
    const out: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value)) {
      out[key] = secretName.test(key) && typeof member === 'string' ? replacement : this.json(member);
    }
    // ACP carries environment variables and headers as {name, value} pairs.
    if (typeof out['name'] === 'string' && typeof out['value'] === 'string' && secretName.test(out['name'])) out['value'] = replacement;
    return out;
  }

  /** The JSON of `json(value)`; costs little where no secret can be. */
  stringify(value: object): string {
    const plain = JSON.stringify(value);
    return this.#mayHoldSecret(plain) ? JSON.stringify(this.json(value)) : plain;
  }

  #mayHoldSecret(json: string): boolean {
    if (suspicious.test(json)) return true;
    for (const value of this.#jsonValues) if (json.includes(value)) return true;
    return false;
  }
}

/** How many letters of an opening the text ends with. */
function openingAtEnd(text: string): number {
  for (let length = Math.min(text.length, openingChars); length > 0; length--) {
    if (openingBeginnings.has(text.slice(-length)) && isWordStart(text, length)) return length;
  }
  return 0;
}

/** With how many letters of its beginning, but not all of them, the text ends. */
function overlap(text: string, secret: string): number {
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length--) {
    if (text.endsWith(secret.slice(0, length)) && (length > 3 || isWordStart(text, length))) return length;
  }
  return 0;
}

/** Whether the last letters are not the end of a longer word. */
function isWordStart(text: string, length: number): boolean {
  return !/^\w\w/.test(text.slice(-length - 1).padStart(length + 1));
}
