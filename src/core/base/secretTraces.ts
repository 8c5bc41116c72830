/**
 * Tells at a glance that a text holds no secret: what all the shapes need, each of them cheap to look for. Nearly every text has none of it, and then
 * the shapes are not tried. Looser than they are, and right about JSON too, which writes a line break as letters. Pure.
 */

/** Whatever ends a name in front of a value. */
const names =
  'key(?:[-_ ]?id)?|passwd|password|passphrase|pass|pwd|secret|token|credentials?|authorization|auth|cookies?|session|sig|signature';

const traces: readonly RegExp[] = [
  // Many digits, as generated values and the numbers of bots have them.
  /(?:\d[^\s\d]*){6}/,
  new RegExp(String.raw`(?:${names})["'\\]*[ \t]*[:=]`, 'i'),
  /:\/\/|AIza|AKIA|ASIA|AROA|AIDA|ABIA|ACCA|eyJ|-----BEGIN|\.[A-Za-z0-9_-]{27}|-[A-Za-z]/,
  /bearer|basic|hooks\.slack|webhooks/i,
];
/** A part of a generated value: long, and not all letters unless it is longer than any word. */
const longRun = /(?<![A-Za-z0-9])[A-Za-z0-9]{10,}/g;

/** False: none of the shapes (secretShapes.ts) is in the text. Linear in the text. */
export function mayHoldSecret(text: string): boolean {
  return traces.some((trace) => trace.test(text)) || hasGeneratedRun(text);
}

function hasGeneratedRun(text: string): boolean {
  return text.match(longRun)?.some((run) => run.length >= 30 || /\d/.test(run)) ?? false;
}
