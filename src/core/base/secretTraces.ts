/**
 * Detects quickly that a text contains no secret, by looking for what every shape needs. Nearly every text has none of it, and then the
 * shapes need not be tried. These checks are less strict than the shapes. Pure.
 */

/** Every ending of a name in front of a value. */
const names =
  'key(?:[-_ ]?id)?|passwd|password|passphrase|pass|pwd|secret|token|credentials?|authorization|auth|cookies?|session|sig|signature';
/** Searches for the sign after the name, because it is a single character that few texts contain. */
const assignment = new RegExp(String.raw`[:=](?<=(?:${names})["'\\]*[ \t]*[:=])`, 'i');
const words = /:\/\/|AIza|AKIA|ASIA|AROA|AIDA|ABIA|ACCA|eyJ|bearer|basic|hooks\.slack|webhooks/i;

/** The number of digits from which a text may contain a generated value or the number of a bot. */
const digitsOfValue = 6;
/** The length from which a part may be generated: shorter with digits in it, or longer than any word. */
const lengthOfRun = 10;
const lengthOfLetters = 30;
/** The length of the last part of a token, after its dot. */
const lengthBehindDot = 27;

const kindOf = { other: 0, blank: 1, digit: 2, letter: 3, dot: 4, dash: 5, underscore: 6, sign: 7 } as const;
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/\s/.test(char)) return kindOf.blank;
  if (/\d/.test(char)) return kindOf.digit;
  if (/[A-Za-z]/.test(char)) return kindOf.letter;
  return { '.': kindOf.dot, '-': kindOf.dash, _: kindOf.underscore, ':': kindOf.sign, '=': kindOf.sign }[char] ?? kindOf.other;
});

/** Returns false only if none of the shapes in secretShapes.ts is in the text. Takes linear time. */
export function mayHoldSecret(text: string): boolean {
  return hasTrace(text) || words.test(text);
}

/** Looks at each character once, and searches for names only if the text contains a sign that may follow one. */
function hasTrace(text: string): boolean {
  const none = text.length;
  let digits = 0;
  let runAt = 0;
  let hasDigit = false;
  let dotAt = none;
  let hasSign = false;
  for (let at = 0; at < text.length; at++) {
    const kind = kindAt(text, at);
    if (kind === kindOf.letter) continue;
    if (kind === kindOf.digit) {
      if (++digits >= digitsOfValue) return true;
      hasDigit = true;
      continue;
    }
    if (isGeneratedRun(at - runAt, hasDigit)) return true;
    runAt = at + 1;
    hasDigit = false;
    if (kind === kindOf.dash && at + 1 < text.length && kindAt(text, at + 1) === kindOf.letter) return true;
    if (kind === kindOf.dash || kind === kindOf.underscore) continue;
    if (at - dotAt > lengthBehindDot) return true;
    dotAt = kind === kindOf.dot ? at : none;
    if (kind === kindOf.blank) digits = 0;
    if (kind === kindOf.sign) hasSign = true;
  }
  return isGeneratedRun(none - runAt, hasDigit) || none - dotAt > lengthBehindDot || (hasSign && assignment.test(text));
}

function isGeneratedRun(length: number, hasDigit: boolean): boolean {
  return length >= (hasDigit ? lengthOfRun : lengthOfLetters);
}

function kindAt(text: string, at: number): number | undefined {
  const code = text.charCodeAt(at);
  return code < kinds.length ? kinds[code] : kindOf.other;
}
