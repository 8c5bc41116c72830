/** Edits one line of a terminal, with a history. Text typed while the line is hidden appears with the next line. */
import path from 'node:path';
import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';
import { Writable } from 'node:stream';
import * as z from 'zod/mini';
import { type Disposable, parseJson, Redactor } from '../../core/index.js';
import { appendTextSync, readTextSync, replaceTextSync } from '../system/files.js';
import type { Io } from '../system/io.js';
import { fold, pasteMode, TypedInput, unfold } from './typedInput.js';

/** Precedes the line for a prompt. */
export const PROMPT = '> ';

interface LineEditorOptions {
  readonly io: Io;
  /** Earlier prompts, newest first. */
  readonly history: readonly string[];
  /** Called for a prompt, but not for an answer. */
  readonly onPrompt: (line: string) => void;
  /** Returns what a prompt with this beginning may become, for Tab. */
  readonly complete: (line: string) => readonly string[];
  /** Moves the cursor to the beginning of a line. */
  readonly beforeShown: () => void;
  readonly onLine: (line: string) => void;
  /** Called for Ctrl+C on an empty line. */
  readonly onInterrupt: () => void;
  /** Called for Ctrl+D, and when the terminal is gone. */
  readonly onEnd: () => void;
}

export class LineEditor implements Disposable {
  readonly #io: Io;
  readonly #options: LineEditorOptions;
  readonly #terminal: MutedOutput;
  readonly #input: TypedInput;
  readonly #lines: Interface;
  /** The unfinished prompt while an answer is being typed. */
  #stashed: string | undefined;
  /** The cursor is below a line that was just finished. */
  #isBelowLine = false;
  #closed = false;

  constructor(options: LineEditorOptions) {
    this.#io = options.io;
    this.#options = options;
    this.#terminal = new MutedOutput(options.io.stderr);
    // The line break at the end of a paste is no Enter.
    this.#input = new TypedInput(options.io.stdin, {
      onPaste: (text) => this.#insert(fold(text.replace(/[\r\n]+$/, ''))),
      onRawMode: (isRaw) => this.#io.env['TERM'] !== 'dumb' && void this.#io.stderr.write(isRaw ? pasteMode.on : pasteMode.off),
    });
    this.#lines = createInterface({
      input: this.#input,
      output: this.#terminal,
      terminal: true,
      prompt: PROMPT,
      history: [...options.history],
      completer: (line: string) => [this.#stashed === undefined ? options.complete(line) : [], line],
    });
    this.#lines.on('line', (line) => {
      this.#isBelowLine = true;
      if (this.#stashed === undefined) options.onPrompt(line);
      options.onLine(unfold(line));
    });
    // An answer is not a prompt, so the arrow keys must not recall it.
    this.#lines.on('history', (history) => this.#stashed !== undefined && history.shift());
    this.#lines.on('SIGINT', () => (this.#lines.line === '' || this.#terminal.isMuted ? this.#options.onInterrupt() : this.#empty()));
    // After Ctrl+Z, readline leaves its input paused.
    this.#lines.on('SIGCONT', () => this.#lines.resume());
    this.#lines.on('close', () => {
      // What comes next, be it of the shell, begins on a line of its own.
      if (!this.#terminal.isMuted) this.#io.stderr.write('\n');
      this.#terminal.isMuted = true;
      this.#closed = true;
      options.onEnd();
    });
  }

  /** Shows the line for the next prompt, with what was already typed. */
  edit(): void {
    this.#restoreStashed();
    this.#show(PROMPT);
  }

  /** Asks for one other line. `edit` restores the unfinished prompt. */
  ask(question: string, text = ''): void {
    if (this.#closed) return;
    if (this.#stashed === undefined) this.#stashed = this.#lines.line;
    this.#terminal.isMuted = true;
    this.#replace(fold(text));
    this.#show(question);
  }

  /** The unfinished answer, while one is asked for with `ask`. */
  get answer(): string {
    return this.#stashed === undefined ? '' : unfold(this.#lines.line);
  }

  /** Adds text to the unfinished prompt, because it was typed as an answer but is none. */
  keep(text: string): void {
    if (this.#stashed !== undefined) this.#stashed += fold(text);
  }

  /**
   * Ignores what is typed until nothing was typed for a moment, because it was not meant for the next question. An unfinished prompt can be
   * continued in the meantime. Call this while the line is hidden.
   * @param endCounts see SettleOptions
   */
  settle(onQuiet: () => void, { endCounts = false } = {}): Disposable {
    return this.#input.settle({ keepsText: this.#lines.line !== '', endCounts }, onQuiet);
  }

  /** Hides what is typed; a finished line still counts. */
  hide(): void {
    this.#erase();
    this.#restoreStashed();
  }

  /** Writes in place of the line, and shows the line again below. */
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
    const { line, cursor } = this.#lines;
    const isLong = this.#terminal.isMuted && this.#isLongWhileHidden();
    if (isLong) this.#replace('');
    this.#terminal.isMuted = false;
    this.#isBelowLine = false;
    this.#lines.setPrompt(prompt);
    this.#lines.prompt(true);
    if (!isLong) return;
    this.#lines.write(line);
    for (let back = line.length; back > cursor; back = this.#lines.cursor) this.#lines.write(null, { name: 'left' });
  }

  /** Readline moves up by the rows that it drew last, also those that were hidden. Without a prompt, only a long line has some. */
  #isLongWhileHidden(): boolean {
    this.#lines.setPrompt('');
    this.#lines.prompt(true);
    return this.#lines.getCursorPos().rows > 0;
  }

  #erase(): void {
    if (this.#terminal.isMuted) return;
    if (this.#io.env['TERM'] === 'dumb') {
      // Such a terminal, as in Emacs, prints the sequences that move the cursor.
      if (!this.#closed && !this.#isBelowLine) this.#io.stderr.write('\n');
    } else if (!this.#closed) {
      // Readline counts the lines of the prompt even when the cursor has left it.
      moveCursor(this.#io.stderr, 0, this.#isBelowLine ? 0 : -this.#lines.getCursorPos().rows);
      cursorTo(this.#io.stderr, 0);
      clearScreenDown(this.#io.stderr);
    }
    this.#terminal.isMuted = true;
  }

  #restoreStashed(): void {
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
    this.#insert(text);
  }

  #insert(text: string): void {
    if (text !== '' && !this.#closed) this.#lines.write(text);
  }
}

/** The terminal as `readline` sees it; shows nothing while muted. */
class MutedOutput extends Writable {
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

// The lines typed in chats, saved for the arrow keys of the next chat: one JSON string per line, oldest first, with secrets redacted.

const fileName = 'chat-history';
const limitLines = 500;
/** Longer lines are not worth saving for another edit. */
const limitLineChars = 4_000;

interface LineHistory {
  /** Newest first. */
  readonly lines: readonly string[];
  /** Never throws: a chat works without a history. */
  add(line: string): void;
}

/** @param env the environment whose secrets are redacted */
export function openLineHistory(stateFolder: string, env: NodeJS.ProcessEnv): LineHistory {
  const file = path.join(stateFolder, fileName);
  const redactor = new Redactor();
  redactor.addEnvironment(env);
  const saved = parseLines(readTextSync(file) ?? '');
  const lines = saved.slice(-limitLines);
  // Rewritten only when it is far too long, because two chats may append to it at the same time.
  if (saved.length > 2 * limitLines) attempt(() => replaceTextSync(file, lines.map(formatLine).join('')));
  return {
    lines: lines.toReversed(),
    add(line) {
      if (line.trim() === '' || line.length > limitLineChars) return;
      attempt(() => appendTextSync(file, formatLine(redactor.text(line))));
    },
  };
}

function formatLine(line: string): string {
  return `${JSON.stringify(line)}\n`;
}

function parseLines(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    // An incomplete or foreign line is left out.
    const parsed = z.string().safeParse(parseJson(line));
    return parsed.success ? [parsed.data] : [];
  });
}

function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // The folder is not writable. The journal, which is in the same folder, reports that.
  }
}
