/** Two streams that may share one terminal: the answer on stdout, the rest on stderr. Neither of them starts inside a line of the other. */
import { stripPiece } from '../../core/index.js';
import { flushed, type Io, isOneFile } from '../system/io.js';

/** In characters. What is written beyond this ends the hold, so that an agent cannot fill the memory meanwhile. */
const mostHeld = 256 * 1024;
/** Counts for each held write in addition to its text. */
const heldWrite = 100;

interface Held {
  readonly writes: (() => void)[];
  chars: number;
  readonly onFull: () => void;
}

export class Screen {
  readonly #io: Io;
  readonly #around: (write: () => void) => void;
  /** Line feeds at the end of what stdout received; undefined before the first character. */
  #answerFeeds: number | undefined;
  #answerInterrupted = false;
  /** The beginning of a sequence that controls terminals, of which the rest may come with the next piece. */
  #openCode = '';
  #stderrInLine = false;
  /** What is written while a request to the user is open, and would cover it. */
  #held: Held | undefined;
  /** Lines of stderr would be in the middle of a line of stdout. */
  readonly #isOneFile: boolean;
  /** The reader of stdout is gone (`| head`), so the rest is useless. */
  #readerGone = false;

  /** @param around runs the write if something else owns the last line of the terminal */
  constructor(io: Io, around: (write: () => void) => void = (write) => write()) {
    this.#io = io;
    this.#around = around;
    this.#isOneFile = isOneFile(io);
    io.stdout.once('error', () => (this.#readerGone = true));
  }

  /**
   * Keeps everything that is written from now on until `release`.
   * @param onFull is called after too much was kept and has been written
   */
  hold(onFull: () => void): void {
    this.release();
    this.#held = { writes: [], chars: 0, onFull };
  }

  /** Writes what was kept. */
  release(): void {
    const held = this.#held;
    this.#held = undefined;
    for (const write of held?.writes ?? []) write();
  }

  /** Runs a write of the request for which the rest is held. */
  inFront(write: () => void): void {
    const held = this.#held;
    this.#held = undefined;
    write();
    this.#held = held;
  }

  /** Writes the next piece of the answer. After an interruption it starts a new paragraph. */
  answer(piece: string): void {
    if (this.#keeps(piece.length, () => this.answer(piece))) return;
    // A file or another program gets what the agent wrote; only a terminal needs protection from it.
    const { text: plain, held } = this.#io.stdout.isTTY ? stripPiece(this.#openCode + piece) : { text: piece, held: '' };
    this.#openCode = held;
    let text = plain;
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
    if (this.#keeps(0, () => this.interruptAnswer())) return;
    this.#openCode = '';
    this.#answerInterrupted = true;
  }

  /** Writes one or more whole lines to stderr. */
  line(text: string): void {
    if (this.#readerGone || this.#keeps(text.length, () => this.line(text))) return;
    this.#around(() => {
      this.rest();
      this.#io.stderr.write(`${text}\n`);
    });
  }

  /** Writes a piece of running text to stderr. */
  aside(text: string): void {
    if (this.#keeps(text.length, () => this.aside(text))) return;
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
    this.release();
    this.#endStderrLine();
    if (this.#answerFeeds === 0) this.#toStdout('\n');
    await Promise.all([flushed(this.#io.stdout), flushed(this.#io.stderr)]);
  }

  #keeps(chars: number, write: () => void): boolean {
    const held = this.#held;
    if (held === undefined) return false;
    held.writes.push(write);
    held.chars += chars + heldWrite;
    if (held.chars > mostHeld) {
      this.release();
      held.onFull();
    }
    return true;
  }

  #toStdout(text: string): void {
    if (text === '') return;
    this.#io.stdout.write(text);
    const feeds = feedsAtEnd(text);
    this.#answerFeeds = feeds === text.length ? (this.#answerFeeds ?? 0) + feeds : feeds;
  }

  /** A program may read stdout, so a message in progress gets no line feed of ours there. */
  #endAnswerLine(): void {
    if (this.#answerFeeds !== 0) return;
    if (this.#io.stdout.isTTY || this.#answerInterrupted || this.#isOneFile) this.#toStdout('\n');
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
