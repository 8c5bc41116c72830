/**
 * Makes an agent's text harmless, because it may contain characters that control a terminal. What the user decides about is spelled out
 * instead (`revealHidden`).
 */

/**
 * CSI, control strings (OSC, DCS, SOS, PM, APC) and other escape sequences of ECMA-48, where they are complete.
 * `util.stripVTControlCharacters` covers less: it leaves parts of window titles, cursor styles and SGR with colons.
 */
const ESCAPE_SEQUENCE = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]/g;
/** C0 except tab and line feed, DEL, C1. */
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
/** Characters that reverse the rest of a line, which a single line of facts never needs. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/g;

/** For running text: removes escape sequences and control characters, and keeps the lines. */
export function stripControls(text: string): string {
  return text.replace(ESCAPE_SEQUENCE, '').replace(CONTROL, '');
}

/** One line of at most `most` UTF-16 code units. */
export function oneLine(text: string, most = 160): string {
  const line = stripControls(text).replace(DIRECTION, '').replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
