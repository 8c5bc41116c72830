import { Readable } from 'node:stream';
import type { Disposable } from '../../core/index.js';
import { interruptKey, Pastes, type Typed } from './pastes.js';
import { Quiet } from './quiet.js';

const endKey = '\x04';
/** The keys that finish a line or the input, and may therefore decide something. */
const finishingKeys = /[\r\n\x04]/g;

export interface SettleOptions {
  /** There is an unfinished text: it can be continued, and only the keys that would finish it are ignored. */
  readonly keepsText: boolean;
  /** Ctrl+D counts: whatever is asked next, the user wants to leave. */
  readonly endCounts: boolean;
}

export interface TypedInputOptions {
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
