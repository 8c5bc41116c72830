import type { MessageChannel } from '../transport/messageChannel.js';
import { isResponse } from './message.js';

export interface ReadGateOptions {
  readonly channel: Pick<MessageChannel, 'pause' | 'resume'>;
  /** Handles a message synchronously. */
  readonly dispatch: (value: unknown, bytes: number) => void;
  readonly backlogLimit: number;
  readonly backlogLimitBytes: number;
}

/**
 * Lets messages through one by one, in wire order, and holds them back for two reasons.
 *
 * Order: a response resolves its promise synchronously, but whoever awaits it continues some microtasks later, and the library calls the
 * handler of a request in its next `setImmediate`. After either of them, a barrier therefore stops the next message for one turn of the
 * event loop. A response may follow a response immediately, because ten thousand answers must not take ten thousand turns.
 *
 * Back-pressure: if too many notifications are still being handled, the pipe is paused until half of them are done.
 */
export class ReadGate {
  readonly #options: ReadGateOptions;
  readonly #backlog: Backlog;
  #barrier: 'none' | 'response' | 'request' = 'none';
  /** The message that stopped at the barrier. The channel is paused, so there is only one. */
  #stopped: { readonly value: unknown; readonly bytes: number } | undefined;
  #paused = false;
  #pauses = 0;
  #atEnd: (() => void) | undefined;
  #closed = false;

  constructor(options: ReadGateOptions) {
    this.#options = options;
    this.#backlog = new Backlog(options.backlogLimit, options.backlogLimitBytes, () => this.#updatePause());
  }

  get backlog(): number {
    return this.#backlog.count;
  }

  /** How often the backlog paused the channel. */
  get pauses(): number {
    return this.#pauses;
  }

  receive(value: unknown, bytes: number): void {
    if (this.#closed) return;
    if (this.#barrier === 'request' || (this.#barrier === 'response' && !isResponse(value))) {
      this.#stopped = { value, bytes };
      this.#updatePause();
    } else this.#options.dispatch(value, bytes);
  }

  /** Call this after the message was passed to the library, so that the library's `setImmediate` runs before the one of the barrier. */
  raise(behind: 'response' | 'request'): void {
    if (this.#barrier === 'none') setImmediate(() => this.#lower());
    this.#barrier = behind;
  }

  /** Counts as backlog until the promise settles. */
  async whileHandling(handling: Promise<void>, bytes: number): Promise<void> {
    this.#backlog.add(bytes);
    try {
      await handling;
    } finally {
      this.#backlog.done(bytes);
    }
  }

  /** Call this when the channel ended; `act` runs after everything before the end has been handled. */
  end(act: () => void): void {
    if (this.#barrier === 'none') act();
    else this.#atEnd = act;
  }

  /** Drops all further messages. */
  close(): void {
    this.#closed = true;
    this.#stopped = undefined;
    this.#atEnd = undefined;
  }

  #lower(): void {
    this.#barrier = 'none';
    if (this.#closed) return;
    const stopped = this.#stopped;
    this.#stopped = undefined;
    if (stopped !== undefined) this.#options.dispatch(stopped.value, stopped.bytes);
    this.#updatePause();
    if (this.#barrier === 'none') this.#atEnd?.();
  }

  #updatePause(): void {
    const paused = this.#stopped !== undefined || this.#backlog.full;
    if (paused === this.#paused || this.#closed) return;
    this.#paused = paused;
    if (!paused) return this.#options.channel.resume();
    if (this.#backlog.full) this.#pauses++;
    this.#options.channel.pause();
  }
}

/** Counts messages whose handling is in progress, and reports when there are too many, and when there are few again. */
class Backlog {
  readonly #limit: number;
  readonly #limitBytes: number;
  readonly #onChange: () => void;
  #count = 0;
  #bytes = 0;
  #full = false;

  /** @param onChange is called when `full` has changed */
  constructor(limit: number, limitBytes: number, onChange: () => void) {
    this.#limit = limit;
    this.#limitBytes = limitBytes;
    this.#onChange = onChange;
  }

  get count(): number {
    return this.#count;
  }

  /** True from the limit until the backlog falls below half of it, so that the pipe is not paused and resumed for every message. */
  get full(): boolean {
    return this.#full;
  }

  add(bytes: number): void {
    this.#count++;
    this.#bytes += bytes;
    this.#update(this.#full || this.#count >= this.#limit || this.#bytes >= this.#limitBytes);
  }

  done(bytes: number): void {
    this.#count--;
    this.#bytes -= bytes;
    this.#update(this.#full && (this.#count >= this.#limit / 2 || this.#bytes >= this.#limitBytes / 2));
  }

  #update(full: boolean): void {
    if (full === this.#full) return;
    this.#full = full;
    this.#onChange();
  }
}
