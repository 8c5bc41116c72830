/** Reads lines from a terminal that edits them itself. */
import { StringDecoder } from 'node:string_decoder';
import { ReadStream } from 'node:tty';
import { type Disposable, toDisposable } from '../../core/index.js';
import { raiseInterrupt, raiseQuit, whenInForeground } from '../system/interrupts.js';

/** Input within this time after a question appeared was meant for something else. */
const quietMs = 400;

/** Calls back once when nothing was typed for a moment. A key that is held down repeats, so this waits until it is released. */
export class Quiet implements Disposable {
  readonly #onQuiet: () => void;
  #timer: NodeJS.Timeout;

  constructor(onQuiet: () => void) {
    this.#onQuiet = onQuiet;
    this.#timer = setTimeout(onQuiet, quietMs);
  }

  typed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onQuiet, quietMs);
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }
}

/**
 * The terminal passes on each key, until disposed. Through a handle of its own: when Node closes one that did this, it sets the terminal back,
 * and the system suspends a program that does so in the background.
 */
function singleKeys(stdin: NodeJS.ReadStream): Disposable {
  const handle = ownHandle(stdin) ?? stdin;
  handle.setRawMode(true);
  return toDisposable(() => {
    if (!stdin.destroyed) handle.setRawMode(false);
    if (handle !== stdin) handle.destroy();
  });
}

function ownHandle(stdin: NodeJS.ReadStream): NodeJS.ReadStream | undefined {
  if (stdin !== process.stdin || process.platform === 'win32') return undefined;
  try {
    return new ReadStream(0).on('error', (error) => stdin.emit('error', error));
  } catch {
    // The terminal is gone, which stdin says, too.
    return undefined;
  }
}

interface TerminalLinesOptions {
  readonly stdin: NodeJS.ReadStream;
  readonly onLine: (line: string) => void;
  /** Called when the terminal is gone, or when the user pressed Ctrl+D. */
  readonly onEnd: () => void;
}

const interruptKey = '\x03';
const quitKey = '\x1c';

/**
 * Reads from the first `settle` on and not before, and only in the foreground: the system suspends a program that touches the input of its
 * terminal in the background, and Node would take the settings of the shell's line editor for those of the terminal. To discard what was
 * typed before a question, including an unfinished line, the terminal stops editing for a moment: it then passes on what it holds.
 */
export class TerminalLines implements Disposable {
  readonly #options: TerminalLinesOptions;
  #decoder = new StringDecoder('utf8');
  #begun = '';
  #isReading = false;
  #quiet: Quiet | undefined;
  /** What waits until the program is in the foreground. */
  #settling: Disposable | undefined;
  #continuing: Disposable | undefined;
  #singleKeys: Disposable | undefined;

  constructor(options: TerminalLinesOptions) {
    this.#options = options;
  }

  /**
   * Ignores all input, including what was typed before, until nothing was typed for a moment in the foreground. Disposing ends that without
   * the callback.
   */
  settle(onQuiet: () => void): Disposable {
    this.#endSettling();
    const settling = whenInForeground(() => this.#settle(onQuiet));
    this.#settling = settling;
    return toDisposable(() => this.#settling === settling && this.#endSettling());
  }

  /** Call this when the suspended program goes on, maybe in the background. @param onForeground called once it can read again */
  continued(onForeground: () => void): void {
    if (!this.#isReading) return;
    this.#options.stdin.pause();
    this.#continuing?.dispose();
    this.#continuing = whenInForeground(() => {
      this.#options.stdin.resume();
      onForeground();
    });
  }

  dispose(): void {
    this.#endSettling();
    this.#continuing?.dispose();
    this.#options.stdin.destroy();
  }

  #settle(onQuiet: () => void): void {
    this.#read();
    this.#singleKeys = singleKeys(this.#options.stdin);
    this.#quiet = new Quiet(() => {
      this.#endSettling();
      onQuiet();
    });
  }

  #read(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    const { stdin, onEnd } = this.#options;
    // An earlier reader has paused it.
    stdin.on('data', this.#receive).resume();
    // An error means that the terminal is gone.
    stdin.once('end', onEnd).on('error', onEnd);
  }

  readonly #receive = (chunk: Buffer): void => {
    if (this.#quiet !== undefined) {
      this.#quiet.typed();
      // The terminal sends no signals for these keys in this mode.
      if (chunk.includes(interruptKey)) raiseInterrupt();
      if (chunk.includes(quitKey)) raiseQuit();
      return;
    }
    const lines = (this.#begun + this.#decoder.write(chunk)).split(/\r?\n/);
    this.#begun = lines.pop() ?? '';
    for (const line of lines) {
      this.#options.onLine(line);
      // The answer resulted in the next question, and what follows does not answer that.
      if (this.#quiet !== undefined) return;
    }
  };

  #endSettling(): void {
    this.#settling?.dispose();
    this.#settling = undefined;
    if (this.#quiet === undefined) return;
    this.#quiet.dispose();
    this.#quiet = undefined;
    this.#begun = '';
    this.#decoder = new StringDecoder('utf8');
    this.#singleKeys?.dispose();
    this.#singleKeys = undefined;
  }
}
