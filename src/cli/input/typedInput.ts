import { Readable } from 'node:stream';
import type { Disposable } from '../../core/index.js';
import { Quiet } from './terminalLines.js';

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
  // Since Node 24, `readline` finishes a line at U+2028, too.
  return text
    .replaceAll(/\r\n?|[\n\u2028\u2029]/g, symbols['\n'])
    .replaceAll('\t', symbols['\t'])
    .replaceAll(/\p{Cc}/gu, '');
}

/** Returns the text that `fold` made a line of. */
export function unfold(line: string): string {
  return line.replaceAll(symbols['\n'], '\n').replaceAll(symbols['\t'], '\t');
}

const endKey = '\x04';
/** The keys that finish a line or the input, and may therefore decide something. */
const finishingKeys = /[\r\n\x04]/g;

interface SettleOptions {
  /** There is an unfinished text: it can be continued, and only the keys that would finish it are ignored. */
  readonly keepsText: boolean;
  /** Ctrl+D counts: whatever is asked next, the user wants to leave. */
  readonly endCounts: boolean;
}

interface TypedInputOptions {
  /** Called for a pasted text, in order with the keys around it. */
  readonly onPaste: (text: string) => void;
  /** Called when the line editor begins (true) or ceases to read single keys, also when the user suspends the program. */
  readonly onRawMode: (isRaw: boolean) => void;
}

interface Settling extends SettleOptions {
  readonly quiet: Quiet;
}

/**
 * The input of a terminal for a line editor, up to the end of one line at a time, so that what follows a line arrives in the state that the
 * line resulted in.
 */
export class TypedInput extends Readable {
  readonly isTTY = true;
  readonly #stdin: NodeJS.ReadStream;
  readonly #waiting: Typed[] = [];
  readonly #pastes = new Pastes();
  readonly #options: TypedInputOptions;
  #isPassing = false;
  #settling: Settling | undefined;

  constructor(stdin: NodeJS.ReadStream, options: TypedInputOptions) {
    super({ encoding: 'utf8' });
    this.#stdin = stdin;
    this.#options = options;
    stdin.setEncoding('utf8');
    stdin.on('data', (text: string) => {
      for (const typed of this.#pastes.take(text)) {
        if (typed.type === 'paste') this.#waiting.push(typed);
        // Each part ends with the key that finishes it.
        else for (const keys of typed.text.split(/(?<=[\r\n])/)) this.#waiting.push({ type: 'keys', text: keys });
      }
      if (!this.#isPassing) this.#pass();
    });
    // An error means that the terminal is gone.
    stdin.once('end', () => this.push(null)).once('error', () => this.push(null));
    // An earlier reader has paused it.
    stdin.resume();
  }

  override _read(): void {}

  setRawMode(mode: boolean): this {
    this.#stdin.setRawMode(mode);
    this.#options.onRawMode(mode);
    return this;
  }

  /**
   * Ignores what is typed, except for Ctrl+C, until nothing was typed for a moment. Disposing ends that without the callback.
   */
  settle(options: SettleOptions, onQuiet: () => void): Disposable {
    this.#settling?.quiet.dispose();
    const settling: Settling = {
      ...options,
      quiet: new Quiet(() => {
        this.#settling = undefined;
        onQuiet();
      }),
    };
    this.#settling = settling;
    return {
      dispose: () => {
        settling.quiet.dispose();
        if (this.#settling === settling) this.#settling = undefined;
      },
    };
  }

  #pass(): void {
    const typed = this.#waiting.shift();
    this.#isPassing = typed !== undefined;
    if (typed === undefined) return;
    if (typed.type === 'paste') this.#paste(typed.text);
    else {
      const counting = this.#settling === undefined ? typed.text : this.#whileSettling(typed.text, this.#settling);
      if (counting !== '') this.push(counting);
    }
    setImmediate(() => this.#pass());
  }

  #paste(text: string): void {
    this.#settling?.quiet.typed();
    if (this.#settling === undefined || this.#settling.keepsText) this.#options.onPaste(text);
  }

  #whileSettling(typed: string, { quiet, keepsText, endCounts }: Settling): string {
    quiet.typed();
    if (typed.includes(interruptKey)) return interruptKey;
    if (endCounts && typed.includes(endKey)) return endKey;
    return keepsText ? typed.replace(finishingKeys, '') : '';
  }
}
