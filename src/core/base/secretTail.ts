/** Where a text that goes on may hold the first part of a secret. Pure. */
import { assignment, keyPrefixes, strongName, weakName } from './secretShapes.js';

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** The end of a text that goes on with more of a secret, or with its first character. */
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
    String.raw`--?[a-z-]{0,40}(?:${strongName}|token)(?:=|\s+)["'\\]*[^\s"']*`,
    String.raw`(?:-u|--user|--proxy-user)[ =]["']?[^\s"']*`,
    String.raw`(?:services|webhooks)\/[A-Za-z0-9_/-]*`,
    String.raw`:\/\/[^\s"'<>]*`,
  ]
    .map((shape) => `(?:${shape})$`)
    .join('|'),
  'i',
);
const keyBegin = '-----BEGIN ';
/** A block of which more may come: its first line, or that of a private key and lines of it. Words with spaces between are none. */
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
] as const; // prettier-ignore
/** What ends with a beginning of one of these, may go on with the rest of it and a secret. */
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
/** The last two letters of each of them: of nearly every text they are others. */
const openingEnds = new Set([...openingBeginnings].map((beginning) => beginning.slice(-2)));
/** Longer secrets are looked for by their beginning. */
const openEndChars = 4_096;
/** So many times an open end has blanks in it at most: around the sign behind a name, and between a kind and its value. Those of cookies have any. */
const blanksWithin = 3;
const cookie = /cookie/i;

/** @param values held by the host @returns where that end begins; the text's length where there is none */
export function openEndOf(text: string, values: ReadonlySet<string>): number {
  const start = Math.max(0, text.length - openEndChars);
  const end = text.slice(start);
  const words = lastWordsOf(end);
  const shape = end.slice(words).search(openEnd);
  // The dashes at the end of a key are not those of the next one.
  const beginning = /-----END [A-Z0-9 ]*-----$/.test(end)
    ? 0
    : Math.max(openingAtEnd(end.slice(-openingChars - 1).toLowerCase()), ...[...values].map((value) => overlap(end, value)));
  const key = text.lastIndexOf(keyBegin);
  const isOpenKey = key >= 0 && openKey.test(text.slice(key));
  return Math.min(shape < 0 ? text.length : start + words + shape, text.length - beginning, isOpenKey ? key : text.length);
}

/** Where the last words of a text begin, beyond which no open end goes; in front of all of it where a cookie may. */
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

/** How many letters of an opening the text ends with. */
function openingAtEnd(text: string): number {
  const longest = openingEnds.has(text.slice(-2)) ? openingChars : 1;
  for (let length = Math.min(text.length, longest); length > 0; length--) {
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
