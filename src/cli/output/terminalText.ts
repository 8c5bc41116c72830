/** What an agent says may hold characters that steer a terminal. Here it becomes harmless. */

/** CSI, OSC and other escape sequences, as far as they are complete in the text. */
const ESCAPE_SEQUENCE = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]/g;
/** C0 but tab and line feed, DEL, C1. */
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
/** Characters that are not seen and change what is seen: text direction, zero width, line and paragraph separators, tags. */
const INVISIBLE = /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** What turns the rest of a line around: in one line of facts there is no use for it. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/g;

/** For running text: sequences and control characters are gone, lines stay. */
export function stripControls(text: string): string {
  return text.replace(ESCAPE_SEQUENCE, '').replace(CONTROL, '');
}

/** For what somebody decides upon: nothing is gone, all that would be hidden is spelled out. */
export function revealControls(text: string): string {
  const spell = (character: string): string => `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
  return text.replace(/\r\n/g, '\n').replace(CONTROL, spell).replace(INVISIBLE, spell);
}

/** One line, at most so many characters. */
export function oneLine(text: string, most = 160): string {
  const line = stripControls(text).replace(DIRECTION, '').replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

export interface Paint {
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

/** Colours, or none. */
export function paintFor(coloured: boolean): Paint {
  const sgr =
    (on: number, off: number) =>
    (text: string): string =>
      coloured ? `\x1b[${on}m${text}\x1b[${off}m` : text;
  return { dim: sgr(2, 22), bold: sgr(1, 22), red: sgr(31, 39), green: sgr(32, 39), yellow: sgr(33, 39), cyan: sgr(36, 39) };
}
