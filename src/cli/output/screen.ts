/** Two streams that may be one terminal: the answer on stdout, all else on stderr, and never the one in the middle of a line of the other. */
import { flushed, type Io } from '../system/io.js';
import { stripControls } from './terminalText.js';

export class Screen {
  readonly #io: Io;
  readonly #around: (write: () => void) => void;
  /** Line feeds at the end of what stdout was given; undefined before the first character. */
  #answerFeeds: number | undefined;
  #answerInterrupted = false;
  #stderrInLine = false;
  /** Whoever read the answer has gone (`| head`), and with them the interest in the rest. */
  #readerGone = false;

  /** @param around writes where another has the last line of the terminal */
  constructor(io: Io, around: (write: () => void) => void = (write) => write()) {
    this.#io = io;
    this.#around = around;
    io.stdout.once('error', () => (this.#readerGone = true));
  }

  /** The next piece of the answer. After an interruption it begins a new paragraph. */
  answer(piece: string): void {
    // A file or another program gets what the agent said; only a terminal must be protected from it.
    let text = this.#io.stdout.isTTY ? stripControls(piece) : piece;
    if (this.#answerInterrupted || this.#answerFeeds === undefined) text = text.replace(/^[\r\n]+/, '');
    if (text === '') return;
    this.#around(() => this.#answer(text));
  }

  #answer(text: string): void {
    this.#endStderrLine();
    if (this.#answerInterrupted && this.#answerFeeds !== undefined) this.#toStdout('\n'.repeat(Math.max(0, 2 - this.#answerFeeds)));
    this.#answerInterrupted = false;
    this.#toStdout(text);
  }

  /** What comes next belongs to another message. */
  interruptAnswer(): void {
    this.#answerInterrupted = true;
  }

  /** A whole line, or several, on stderr. */
  line(text: string): void {
    if (this.#readerGone) return;
    this.#around(() => {
      this.rest();
      this.#io.stderr.write(`${text}\n`);
    });
  }

  /** A piece of running text on stderr. */
  aside(text: string): void {
    this.#around(() => {
      this.#endAnswerLine();
      this.#io.stderr.write(text);
      this.#stderrInLine = true;
    });
  }

  /** Begins a new line of the terminal where it stands within one. */
  rest(): void {
    this.#endAnswerLine();
    this.#endStderrLine();
  }

  /** The user pressed Enter: the terminal itself began a new line. */
  lineTyped(): void {
    this.#stderrInLine = false;
  }

  /** Ends the answer's last line. Resolves when all of it has left the process. */
  async end(): Promise<void> {
    this.#endStderrLine();
    if (this.#answerFeeds === 0) this.#toStdout('\n');
    await Promise.all([flushed(this.#io.stdout), flushed(this.#io.stderr)]);
  }

  #toStdout(text: string): void {
    if (text === '') return;
    this.#io.stdout.write(text);
    const feeds = /\n*$/.exec(text)?.[0].length ?? 0;
    this.#answerFeeds = feeds === text.length ? (this.#answerFeeds ?? 0) + feeds : feeds;
  }

  /** Where both go to one file (`2>&1`) they share lines too; an answer that goes on in its sentence is left alone, for it may be for a program. */
  #endAnswerLine(): void {
    if ((this.#io.stdout.isTTY || this.#answerInterrupted) && this.#answerFeeds === 0) this.#toStdout('\n');
  }

  #endStderrLine(): void {
    if (this.#stderrInLine) this.#io.stderr.write('\n');
    this.#stderrInLine = false;
  }
}
