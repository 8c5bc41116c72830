/**
 * Tells pasted text from typed keys, so that a pasted text with several lines is one prompt and decides nothing by itself. The terminal marks
 * it (xterm, "Bracketed Paste Mode": https://invisible-island.net/xterm/ctlseqs/ctlseqs.html).
 */
export const pasteMode = { on: '\x1b[?2004h', off: '\x1b[?2004l' };
const begin = '\x1b[200~';
const end = '\x1b[201~';
/** The end of a chunk of input that may be a part of `begin`. Escape alone is a key of its own. */
const cutBegin = /\x1b\[(?:2(?:00?)?)?$/;
const interruptKey = '\x03';

export type Typed = { readonly type: 'keys'; readonly text: string } | { readonly type: 'paste'; readonly text: string };

export class Pastes {
  /** What arrived of a paste that has not ended; undefined outside of one. */
  #pasted: string | undefined;
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
    this.#pasted = '';
    return text.slice(at + begin.length);
  }

  #takePaste(before: string, text: string, taken: Typed[]): string {
    const whole = before + text;
    const at = whole.indexOf(end, Math.max(0, before.length - end.length));
    // If the end got lost, the user must not be locked out. A terminal pastes no control keys.
    const interrupted = at < 0 ? text.indexOf(interruptKey) : -1;
    if (at < 0 && interrupted < 0) {
      this.#pasted = whole;
      return '';
    }
    this.#pasted = undefined;
    if (at < 0) return text.slice(interrupted);
    taken.push({ type: 'paste', text: whole.slice(0, at) });
    return whole.slice(at + end.length);
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
