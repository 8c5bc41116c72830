/** One line of an agent's text. What the user decides about is spelled out instead (`revealHidden`). */
import { stripControls } from '../../core/index.js';

/** Characters that reverse the rest of a line, which a single line of facts never needs. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/g;

/** One line of at most `most` UTF-16 code units. */
export function oneLine(text: string, most = 160): string {
  const line = stripControls(text).replace(DIRECTION, '').replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
