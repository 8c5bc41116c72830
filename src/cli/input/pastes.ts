/**
 * Tells pasted text from typed keys, so that a pasted text with several lines is one prompt and decides nothing by itself. The terminal marks
 * it (xterm, "Bracketed Paste Mode": https://invisible-island.net/xterm/ctlseqs/ctlseqs.html).
 */
export const pasteMode = { on: '\x1b[?2004h', off: '\x1b[?2004l' };
const begin = '\x1b[200~';
const end = '\x1b[201~';
/** The end of a chunk of input that may be a part of `begin`. Escape alone is a key of its own. */
const cutBegin = /\x1b\[(?:2(?:00?)?)?$/;
export const interruptKey = '\x03';

export type Typed = { readonly type: 'keys'; readonly text: string } | { readonly type: 'paste'; readonly text: string };

export class Pastes {
  /** What arrived of a paste that has not ended, in order; undefined outside of one. */
  #pasted: string[] | undefined;
  /** The end of it, which may be the beginning of `end`. */
  #tail = '';
  #cut = '';

  /** @returns what is complete, in order */
  take(chunk: string): readonly Typed[] {
    const taken: Typed[] = [];
    let rest = this.#cut + chunk;
    this.#cut = '';
    while (rest !== '') rest = this.#pasted === undefined ? this.#takeKeys(rest, taken) : this.#takePaste(this.#pasted, rest, taken);
    return taken;
  }

  #takeKeys(text: string, taken: Typed[]): string {
    const at = text.indexOf(begin);
    this.#cut = at < 0 ? (cutBegin.exec(text)?.[0] ?? '') : '';
    const keys = text.slice(0, at < 0 ? text.length - this.#cut.length : at);
    if (keys !== '') taken.push({ type: 'keys', text: keys });
    if (at < 0) return '';
    this.#pasted = [];
    this.#tail = '';
    return text.slice(at + begin.length);
  }

  #takePaste(before: string[], text: string, taken: Typed[]): string {
    // The end may be cut. Searching all of a long paste again with each part would take long.
    const searched = this.#tail + text;
    this.#tail = searched.slice(1 - end.length);
    const at = searched.indexOf(end);
    if (at < 0) {
      // If the end is lost, Ctrl+C must still work. A terminal pastes no control keys.
      const interrupted = text.indexOf(interruptKey);
      if (interrupted < 0) before.push(text);
      else this.#pasted = undefined;
      return interrupted < 0 ? '' : text.slice(interrupted);
    }
    this.#pasted = undefined;
    const rest = searched.slice(at + end.length);
    const whole = before.join('') + text;
    taken.push({ type: 'paste', text: whole.slice(0, whole.length - rest.length - end.length) });
    return rest;
  }
}

const symbols = { '\n': '␤', '\t': '␉' } as const;

/** Returns a text as one line of a terminal: visible symbols stand for line breaks and tabs, and other control characters are left out. */
export function fold(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll('\n', symbols['\n'])
    .replaceAll('\t', symbols['\t'])
    .replaceAll(/\p{Cc}/gu, '');
}

/** Returns the text that `fold` made a line of. */
export function unfold(line: string): string {
  return line.replaceAll(symbols['\n'], '\n').replaceAll(symbols['\t'], '\t');
}
