/** Makes an agent's text harmless: it may contain characters that control a terminal. */

/**
 * CSI, control strings (OSC, DCS, SOS, PM, APC) and other escape sequences of ECMA-48, where they are complete.
 * `util.stripVTControlCharacters` covers less: it leaves parts of window titles, cursor styles and SGR with colons.
 */
const ESCAPE_SEQUENCE = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]/g;
/** C0 except tab and line feed, DEL, C1. */
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
/** Invisible characters that change what is visible: text direction, zero width, line and paragraph separators, tags. */
const INVISIBLE = /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Reverses the rest of a line; a single line of facts has no use for it. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/g;

/** For running text: removes escape sequences and control characters, and keeps the lines. */
export function stripControls(text: string): string {
  return text.replace(ESCAPE_SEQUENCE, '').replace(CONTROL, '');
}

/** For text that somebody decides about: removes nothing and spells out whatever would be hidden. */
export function revealControls(text: string): string {
  const spell = (character: string): string => `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
  return text.replace(/\r\n/g, '\n').replace(CONTROL, spell).replace(INVISIBLE, spell);
}

/** One line of at most `most` UTF-16 code units. */
export function oneLine(text: string, most = 160): string {
  const line = stripControls(text).replace(DIRECTION, '').replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
