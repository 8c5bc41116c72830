/**
 * Distinguishes generated values from words. A name alone says little: `password: string` and `hf_hub_download` are ordinary text. Pure.
 */

/** What code, documentation and schemas contain in place of a value. */
const ordinary =
  /^(?:string|str|text|varchar|number|int|integer|bool|boolean|true|false|null|nil|none|undefined|any|unknown|object|bytes|required|optional|hidden|masked|redacted|changeme|example|placeholder|x{3,}|\*+|\.{3,}|\u2026|your[-_ ].*|my[-_].*|<.*|\[.*|\{.*|\$.*|%.*|@.*|(?:process|os|env|config|settings|self|this|secrets|vars|var|std|import|ctx|args|opts|options|params|req|request)[.:([].*|[\w.]+\(.*)$/i;

/** A word, or several joined words, perhaps followed by a number. */
const words = /^[A-Za-z]?[a-z]*(?:[-_./ ]?[A-Z]?[a-z]+)*[-_]?\d{0,4}$|^[A-Z]+(?:[-_][A-Z]+)*[-_]?\d{0,4}$/;
/** One word of letters, followed by a number of at most four digits. */
const wordWithNumber = /^(?=.{1,16}$)(?:[A-Za-z]?[a-z]*\d{0,4}|[A-Z]+\d{0,4})$/;

/** Whether a program probably generated the value: a part of it is long, and mixes letters with digits or is longer than words are. */
export function isGenerated(value: string): boolean {
  const parts = value.split(/[^A-Za-z0-9]+/);
  const digits = value.replace(/\D+/g, '').length;
  return parts.some(isGeneratedPart) || (digits >= 6 && value.length >= 16 && /[A-Za-z]/.test(value));
}

function isGeneratedPart(part: string): boolean {
  return part.length >= 30 || (part.length >= 10 && /\d/.test(part) && !wordWithNumber.test(part));
}

/** Whether a person could have chosen the value as a secret: it is not a word of a language or a program. */
export function isChosen(value: string): boolean {
  return !isOrdinary(value) && !words.test(value);
}

/** Whether the text only stands for a value. */
export function isOrdinary(value: string): boolean {
  return value.length < 4 || isPlaceholder(value);
}

/** The same for a value that stands alone, such as that of a JSON member. */
export function isPlaceholder(value: string): boolean {
  return value === '' || ordinary.test(value);
}

/** Whether the value is one word or a placeholder. Even under the name of a secret, it then only describes one. */
export function isOrdinaryWord(value: string): boolean {
  return isPlaceholder(value) || /^[A-Z]?[a-z]+(?: [A-Za-z]?[a-z]+)*[.:]?$/.test(value);
}
