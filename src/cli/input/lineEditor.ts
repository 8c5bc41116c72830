/** One line of a terminal that is edited, with a history. What is typed while it is hidden is kept and shown with the next line. */
import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';
import { Writable } from 'node:stream';
import type { Disposable } from '../../core/index.js';
import type { Io } from '../system/io.js';

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
  readonly #terminal: MutedOutput;
  readonly #lines: Interface;
  /** What was typed for another line than the one that is asked for now. */
  #stashed: string | undefined;
  #closed = false;

  constructor(options: LineEditorOptions) {
    this.#io = options.io;
    this.#options = options;
    this.#terminal = new MutedOutput(options.io.stderr);
    this.#lines = createInterface({
      input: options.io.stdin,
      output: this.#terminal,
      terminal: true,
      prompt: PROMPT,
      history: [...options.history],
    });
    this.#lines.on('line', (line) => {
      if (this.#stashed === undefined) options.onPrompt(line);
      options.onLine(line);
    });
    // An answer is no prompt: it does not come back with the arrow keys.
    this.#lines.on('history', (history) => this.#stashed !== undefined && history.shift());
    this.#lines.on('SIGINT', () => (this.#lines.line === '' || this.#terminal.isMuted ? this.#options.onInterrupt() : this.#empty()));
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
    if (this.#stashed === undefined) this.#stashed = this.#lines.line;
    this.#terminal.isMuted = true;
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
    if (this.#terminal.isMuted || this.#closed) return write();
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
    this.#terminal.isMuted = false;
    this.#lines.setPrompt(prompt);
    this.#lines.prompt(true);
  }

  #erase(): void {
    if (this.#terminal.isMuted) return;
    if (!this.#closed) {
      moveCursor(this.#io.stderr, 0, -this.#lines.getCursorPos().rows);
      cursorTo(this.#io.stderr, 0);
      clearScreenDown(this.#io.stderr);
    }
    this.#terminal.isMuted = true;
  }

  #takeBack(): void {
    if (this.#stashed === undefined) return;
    const text = this.#stashed;
    this.#stashed = undefined;
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
class MutedOutput extends Writable {
  /** As a curtain is drawn. */
  isMuted = true;
  readonly #terminal: NodeJS.WriteStream;

  constructor(terminal: NodeJS.WriteStream) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
  }

  get columns(): number {
    return this.#terminal.columns;
  }

  override _write(chunk: unknown, _encoding: BufferEncoding, done: () => void): void {
    if (!this.isMuted) this.#terminal.write(String(chunk));
    done();
  }
}
