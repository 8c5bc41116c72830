/** Two streams that may share one terminal: the answer on stdout, the rest on stderr. Neither of them starts inside a line of the other. */
import { flushed, type Io } from '../system/io.js';
import { stripControls } from './terminalText.js';

export class Screen {
  readonly #io: Io;
  readonly #around: (write: () => void) => void;
  /** Line feeds at the end of what stdout received; undefined before the first character. */
  #answerFeeds: number | undefined;
  #answerInterrupted = false;
  #stderrInLine = false;
  /** The reader of stdout is gone (`| head`), so the rest is useless. */
  #readerGone = false;

  /** @param around runs the write if something else owns the last line of the terminal */
  constructor(io: Io, around: (write: () => void) => void = (write) => write()) {
    this.#io = io;
    this.#around = around;
    io.stdout.once('error', () => (this.#readerGone = true));
  }

  /** Writes the next piece of the answer. After an interruption it starts a new paragraph. */
  answer(piece: string): void {
    // A file or another program gets what the agent wrote; only a terminal needs protection from it.
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

  /** The next piece belongs to another message. */
  interruptAnswer(): void {
    this.#answerInterrupted = true;
  }

  /** Writes one or more whole lines to stderr. */
  line(text: string): void {
    if (this.#readerGone) return;
    this.#around(() => {
      this.rest();
      this.#io.stderr.write(`${text}\n`);
    });
  }

  /** Writes a piece of running text to stderr. */
  aside(text: string): void {
    this.#around(() => {
      this.#endAnswerLine();
      this.#io.stderr.write(text);
      this.#stderrInLine = true;
    });
  }

  /** Starts a new line of the terminal unless it is at the beginning of one. */
  rest(): void {
    this.#endAnswerLine();
    this.#endStderrLine();
  }

  /** The user pressed Enter, so the terminal itself started a new line. */
  lineTyped(): void {
    this.#stderrInLine = false;
  }

  /** Ends the answer's last line. Resolves once all output has left the process. */
  async end(): Promise<void> {
    this.#endStderrLine();
    if (this.#answerFeeds === 0) this.#toStdout('\n');
    await Promise.all([flushed(this.#io.stdout), flushed(this.#io.stderr)]);
  }

  #toStdout(text: string): void {
    if (text === '') return;
    this.#io.stdout.write(text);
    const feeds = feedsAtEnd(text);
    this.#answerFeeds = feeds === text.length ? (this.#answerFeeds ?? 0) + feeds : feeds;
  }

  /** If both go to one file (`2>&1`), they share lines too. A sentence in progress is not broken, because a program may read it. */
  #endAnswerLine(): void {
    if ((this.#io.stdout.isTTY || this.#answerInterrupted) && this.#answerFeeds === 0) this.#toStdout('\n');
  }

  #endStderrLine(): void {
    if (this.#stderrInLine) this.#io.stderr.write('\n');
    this.#stderrInLine = false;
  }
}

/** Counts from the end, because a regular expression would start again at each line feed. */
function feedsAtEnd(text: string): number {
  let start = text.length;
  while (text[start - 1] === '\n') start--;
  return text.length - start;
}
