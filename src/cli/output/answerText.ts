import { MessageSeams, type SeenMessage, type SessionEvent } from '../../core/index.js';
import type { Screen } from './screen.js';

/** A message that another one overtakes is finished if nothing of it arrives for so long. */
const silenceMs = 300;
/** How long something waits for the end of a word. */
const wordMs = 300;

/**
 * Writes answers in the order of their messages: each message is one paragraph, even if the agent sends two at once, and what is written in
 * between waits for the end of a word.
 */
export class AnswerText {
  readonly #screen: Screen;
  readonly #seams = new MessageSeams();
  #current: SeenMessage | undefined;
  /** Messages that began before the current one was finished. */
  readonly #later = new Map<SeenMessage, string[]>();
  #silence: NodeJS.Timeout | undefined;
  #isInWord = false;
  #asides: (() => void)[] = [];
  #word: NodeJS.Timeout | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Call this for each event, before anything is written for it. */
  take(event: SessionEvent): void {
    const message = this.#seams.take(event);
    if (message !== undefined && event.type === 'message' && event.role === 'agent') this.#latest = message;
    // Nothing overtakes the end of a turn.
    if (event.type === 'turn_ended' || event.type === 'request_opened') this.flush();
  }

  #latest: SeenMessage | undefined;

  /** Writes a chunk of the agent, which was taken before. */
  write(text: string): void {
    const message = this.#latest;
    if (message === undefined) return;
    if (this.#current !== undefined && message !== this.#current && this.#seams.mayGoOn(this.#current) && this.#silence !== undefined) {
      const texts = this.#later.get(message) ?? [];
      texts.push(text);
      this.#later.set(message, texts);
      return;
    }
    this.#writeNow(message, text);
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#writeLater(), silenceMs).unref();
  }

  /** Writes something else that may wait for the end of a word. */
  aside(write: () => void): void {
    if (!this.#isInWord || this.#current === undefined || !this.#seams.mayGoOn(this.#current)) return write();
    this.#asides.push(write);
    this.#word ??= setTimeout(() => this.#writeAsides(), wordMs).unref();
  }

  /** Writes everything that waits. Call this before something is written that belongs below it. */
  flush(): void {
    this.#writeAsides();
    this.#writeLater();
    if (this.#current === undefined || this.#seams.mayGoOn(this.#current)) return;
    this.#current = undefined;
    this.#screen.interruptAnswer();
  }

  #writeNow(message: SeenMessage, text: string): void {
    if (message !== this.#current) {
      this.#writeAsides();
      if (this.#current !== undefined) this.#screen.interruptAnswer();
    }
    this.#current = message;
    const wordEnd = this.#asides.length === 0 ? 0 : (/^[\p{L}\p{N}]*/u.exec(text)?.[0].length ?? 0);
    if (wordEnd > 0) this.#screen.answer(text.slice(0, wordEnd));
    if (wordEnd < text.length) this.#writeAsides();
    this.#screen.answer(text.slice(wordEnd));
    if (text !== '') this.#isInWord = /[\p{L}\p{N}]$/u.test(text);
  }

  #writeAsides(): void {
    clearTimeout(this.#word);
    this.#word = undefined;
    const asides = this.#asides;
    this.#asides = [];
    for (const write of asides) write();
  }

  #writeLater(): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
    const later = [...this.#later];
    this.#later.clear();
    for (const [message, texts] of later) this.#writeNow(message, texts.join(''));
  }
}
