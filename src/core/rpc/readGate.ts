import type { MessageChannel } from '../transport/messageChannel.js';
import { Backlog } from './backlog.js';
import { isResponse } from './message.js';

export interface ReadGateOptions {
  readonly channel: Pick<MessageChannel, 'pause' | 'resume'>;
  /** Acts upon a message, synchronously. */
  readonly dispatch: (value: unknown, bytes: number) => void;
  readonly backlogLimit: number;
  readonly backlogLimitBytes: number;
}

/**
 * Lets messages through one by one, in the order of the wire, and holds them back for two reasons.
 *
 * Order: a response resolves its promise synchronously, but whoever awaits it runs some microtasks later; a request is called by the library
 * in its next `setImmediate`. So behind either of them a barrier goes up for one turn of the event loop, at which the next message stops.
 * Responses pass the barrier behind a response: ten thousand answers must not take ten thousand turns.
 *
 * Back-pressure: when too many notifications are still being handled, the pipe is paused until half of them are done.
 */
export class ReadGate {
  readonly #options: ReadGateOptions;
  readonly #backlog: Backlog;
  #barrier: 'none' | 'response' | 'request' = 'none';
  /** The message that stopped at the barrier; the channel is paused, so there is no other. */
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

  /** How often the backlog made it pause. */
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

  /** To be called after the message was handed to the library: its own `setImmediate` then comes before the barrier's. */
  raise(behind: 'response' | 'request'): void {
    if (this.#barrier === 'none') setImmediate(() => this.#lower());
    this.#barrier = behind;
  }

  /** Counts as backlog until it settles. */
  async whileHandling(handling: Promise<void>, bytes: number): Promise<void> {
    this.#backlog.add(bytes);
    try {
      await handling;
    } finally {
      this.#backlog.done(bytes);
    }
  }

  /** The channel ended; `act` runs when all that came before has been acted upon. */
  end(act: () => void): void {
    if (this.#barrier === 'none') act();
    else this.#atEnd = act;
  }

  /** Nothing passes any more. */
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
