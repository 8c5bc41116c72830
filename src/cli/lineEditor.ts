/** One line of a terminal that is edited, with a history. What is typed while it is hidden is kept and shown with the next line. */
import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';
import { Writable } from 'node:stream';
import type { Disposable } from '../core/index.js';
import type { Io } from './io.js';

/** In front of the line for a prompt. */
export const PROMPT = '> ';

export interface LineEditorOptions {
  readonly io: Io;
  /** Earlier prompts, the newest first. */
  readonly history: readonly string[];
  /** A line that is a prompt, and not an answer. */
  readonly onPrompt: (line: string) => void;
  /** Brings the cursor to the beginning of a line. */
  readonly beforeShown: () => void;
  readonly onLine: (line: string) => void;
  /** Ctrl+C with nothing on the line. */
  readonly onInterrupt: () => void;
  /** Ctrl+D, or the terminal went away. */
  readonly onEnd: () => void;
}

export class LineEditor implements Disposable {
  readonly #io: Io;
  readonly #options: LineEditorOptions;
  readonly #terminal: Veil;
  readonly #lines: Interface;
  /** What was typed for another line than the one that is asked for now. */
  #putAside: string | undefined;
  #closed = false;

  constructor(options: LineEditorOptions) {
    this.#io = options.io;
    this.#options = options;
    this.#terminal = new Veil(options.io.stderr);
    this.#lines = createInterface({
      input: options.io.stdin,
      output: this.#terminal,
      terminal: true,
      prompt: PROMPT,
      history: [...options.history],
    });
    this.#lines.on('line', (line) => {
      if (this.#putAside === undefined) options.onPrompt(line);
      options.onLine(line);
    });
    // An answer is no prompt: it does not come back with the arrow keys.
    this.#lines.on('history', (history) => this.#putAside !== undefined && history.shift());
    this.#lines.on('SIGINT', () => (this.#lines.line === '' || this.#terminal.isDrawn ? this.#options.onInterrupt() : this.#empty()));
    this.#lines.on('close', () => {
      this.#closed = true;
      options.onEnd();
    });
  }

  /** Shows the line for the next prompt, with what was typed of it already. */
  edit(): void {
    this.#takeBack();
    this.#show(PROMPT);
  }

  /** Shows a line of its own, once: what was being typed waits for the next prompt. */
  ask(words: string, text = ''): void {
    if (this.#closed) return;
    if (this.#putAside === undefined) this.#putAside = this.#lines.line;
    this.#terminal.isDrawn = true;
    this.#replace(text);
    this.#show(words);
  }

  /** What is typed is not shown; a line is a line all the same. */
  hide(): void {
    this.#erase();
    this.#takeBack();
  }

  /** Writes where the line stands, and shows it again below. */
  around(write: () => void): void {
    if (this.#terminal.isDrawn || this.#closed) return write();
    this.#erase();
    write();
    this.#show(this.#lines.getPrompt());
  }

  dispose(): void {
    this.#erase();
    this.#closed = true;
    this.#lines.removeAllListeners('close').close();
    this.#io.stdin.destroy();
  }

  #show(prompt: string): void {
    if (this.#closed) return;
    this.#options.beforeShown();
    this.#terminal.isDrawn = false;
    this.#lines.setPrompt(prompt);
    this.#lines.prompt(true);
  }

  #erase(): void {
    if (this.#terminal.isDrawn) return;
    if (!this.#closed) {
      moveCursor(this.#io.stderr, 0, -this.#lines.getCursorPos().rows);
      cursorTo(this.#io.stderr, 0);
      clearScreenDown(this.#io.stderr);
    }
    this.#terminal.isDrawn = true;
  }

  #takeBack(): void {
    if (this.#putAside === undefined) return;
    const text = this.#putAside;
    this.#putAside = undefined;
    this.#replace(text);
  }

  #empty(): void {
    this.#replace('');
  }

  #replace(text: string): void {
    if (this.#closed) return;
    this.#lines.write(null, { ctrl: true, name: 'e' });
    this.#lines.write(null, { ctrl: true, name: 'u' });
    if (text !== '') this.#lines.write(text);
  }
}

/** The terminal as the editor sees it; behind the veil nothing that it draws is seen. */
class Veil extends Writable {
  /** As a curtain is drawn. */
  isDrawn = true;
  readonly #terminal: NodeJS.WriteStream;

  constructor(terminal: NodeJS.WriteStream) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
  }

  get columns(): number {
    return this.#terminal.columns;
  }

  override _write(chunk: unknown, _encoding: BufferEncoding, done: () => void): void {
    if (!this.isDrawn) this.#terminal.write(String(chunk));
    done();
  }
}
