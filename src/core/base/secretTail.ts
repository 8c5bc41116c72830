/** Finds where a text that will continue may contain the beginning of a secret. Pure. */
import { assignment, keyPrefixes, optionSign, strongName, weakName } from './secretShapes.js';

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Matches the end of a text if the next characters may belong to a secret. */
export const openEnd = new RegExp(
  [
    `(?:${keyPrefixes.map(escaped).join('|')})[A-Za-z0-9_.~+/=-]*`,
    '(?:AIza|A[KSRIBC][IOC]A|eyJ)[A-Za-z0-9_.-]*',
    String.raw`\d{8,10}:[A-Za-z0-9_-]*`,
    String.raw`[MNO][A-Za-z0-9_-]{22,26}(?:\.[A-Za-z0-9_-]*){0,2}`,
    String.raw`(?:Bearer|Basic)\s+[A-Za-z0-9._~+/=-]*`,
    String.raw`authorization["'\\]*\s*[:=]\s*["'\\]*(?:[A-Za-z-]+\s+)?[^\s"'\\,;]*`,
    String.raw`cookie["'\\]*\s*:[^\r\n"'\\]*`,
    String.raw`(?:${strongName}|${weakName})${assignment}[^\s"',;}&\\)\]]*`,
    String.raw`--?[a-z-]{0,40}(?:${strongName}|token)(?:${optionSign}["'\\]*[^\s"']*|["'\\]+)`,
    String.raw`(?:-u|--user|--proxy-user)[ =]["']?[^\s"']*`,
    String.raw`(?:services|webhooks)\/[A-Za-z0-9_/-]*`,
    String.raw`:\/\/[^\s"'<>]*`,
  ]
    .map((shape) => `(?:${shape})$`)
    .join('|'),
  'i',
);
const keyBegin = '-----BEGIN ';
/**
 * Matches a block that may continue: its first line, or that of a private key and lines of it. Words with spaces in between don't match.
 */
const openKey = new RegExp(
  [
    String.raw`^-----BEGIN [A-Z0-9 ]*-{0,5}$`,
    String.raw`^-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[ \t\r]*(?:(?:\n|\\[nr])(?:[A-Za-z0-9+/=\r]*|[A-Z][A-Za-z-]*: [^\n\\]*))*(?:(?:\n|\\[nr])?-[A-Z0-9 -]*)?$`,
  ].join('|'),
);
const names = [
  'api_key',
  'api-key',
  'apikey',
  'password',
  'passwd',
  'secret',
  'token',
  'access_token',
  'private_key',
  'credentials',
  'cookie',
  'authorization',
  'key',
  'pwd',
  'auth',
  'session',
  'sig',
  'signature',
  'passphrase',
  'pass',
] as const;
/** A text that ends with the beginning of one of these may continue with the rest of it and a secret. */
const openings = [
  ...keyPrefixes.map((prefix) => prefix.toLowerCase()),
  ...names.flatMap((name) => [`${name}=`, `--${name} `]),
  'aiza',
  'akia',
  'asia',
  'eyj',
  'bearer ',
  'basic ',
  keyBegin.toLowerCase(),
  '://',
];
const openingChars = Math.max(...openings.map(({ length }) => length));
const openingBeginnings = new Set(openings.flatMap((word) => Array.from(word, (_, index) => word.slice(0, index + 1))));
/** The last two letters of each beginning. Nearly every text ends with others. */
const openingEnds = new Set([...openingBeginnings].map((beginning) => beginning.slice(-2)));
/** Longer secrets are recognized by their beginning. */
const openEndChars = 4_096;
/**
 * The number of blanks that an open end contains at most: around the sign after a name, and between a scheme and its value. Only cookies
 * may contain more.
 */
const blanksWithin = 3;
const cookie = /cookie/i;

/**
 * @param values secrets that the host holds
 * @returns where the open end begins; the length of the text if there is none
 */
export function openEndOf(text: string, values: ReadonlySet<string>): number {
  const start = Math.max(0, text.length - openEndChars);
  const end = text.slice(start);
  const words = lastWordsOf(end);
  const shape = end.slice(words).search(openEnd);
  // The dashes at the end of a key do not begin another one.
  const beginning = /-----END [A-Z0-9 ]*-----$/.test(end)
    ? 0
    : Math.max(openingAtEnd(end.slice(-openingChars - 1).toLowerCase()), ...[...values].map((value) => overlap(end, value)));
  const key = text.lastIndexOf(keyBegin);
  const isOpenKey = key >= 0 && openKey.test(text.slice(key));
  return Math.min(shape < 0 ? text.length : start + words + shape, text.length - beginning, isOpenKey ? key : text.length);
}

/** Returns where the last words of a text begin. No open end starts before them, except in a text that may contain a cookie. */
function lastWordsOf(text: string): number {
  if (cookie.test(text)) return 0;
  let blanks = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    if (isBlank(text, at) && !isBlank(text, at - 1) && ++blanks > blanksWithin) return at;
  }
  return 0;
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code >= 0x80 && /\s/.test(text.charAt(at)));
}

/** Returns the number of letters of an opening that the text ends with. */
function openingAtEnd(text: string): number {
  const longest = openingEnds.has(text.slice(-2)) ? openingChars : 1;
  for (let length = Math.min(text.length, longest); length > 0; length--) {
    if (openingBeginnings.has(text.slice(-length)) && isWordStart(text, length)) return length;
  }
  return 0;
}

/** Returns the length of the longest proper beginning of the secret that the text ends with. */
function overlap(text: string, secret: string): number {
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length--) {
    if (text.endsWith(secret.slice(0, length)) && (length > 3 || isWordStart(text, length))) return length;
  }
  return 0;
}

/** Whether the last letters are not just the end of a longer word. */
function isWordStart(text: string, length: number): boolean {
  return !/^\w\w/.test(text.slice(-length - 1).padStart(length + 1));
}
