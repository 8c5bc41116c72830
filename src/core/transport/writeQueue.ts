import type { Writable } from 'node:stream';
import { HostError, systemFacts } from '../base/errors.js';
import { Emitter, type Event } from '../base/event.js';

export interface WriteQueueOptions {
  /**
   * The limit of bytes that wait in memory for an agent that does not read. A text that exceeds it is refused; nothing that waits is
   * dropped.
   */
  readonly limitBytes?: number;
  /** Additional bytes for small texts, so that large ones don't keep out a cancel or an answer for which the agent waits. */
  readonly reserveBytes?: number;
  /**
   * Texts are joined up to this size for one write, and only one write is in flight. This limits both what a dead pipe loses and the number
   * of system calls.
   */
  readonly writeBytes?: number;
  /** The agent counts as stalled when it has not accepted one write for this long; this is reported again after each such time. */
  readonly stallMs?: number;
}

/** Called once: when the pipe has accepted the text, or with the reason why it did not. */
export type Written = (failure?: HostError) => void;

interface Entry {
  readonly line: string;
  readonly bytes: number;
  readonly written: Written;
}

export interface WriteStall {
  readonly pendingBytes: number;
}

/** Every cancel and every answer to a permission request is smaller. */
const smallBytes = 4 * 1024;

/** The write loop, which is the only writer of a pipe. It writes whole texts in the order of the calls. */
export class WriteQueue {
  readonly #pipe: Writable;
  readonly #limitBytes: number;
  readonly #reserveBytes: number;
  readonly #writeBytes: number;
  readonly #stallMs: number;
  readonly #onStalled = new Emitter<WriteStall>();
  readonly #onRelieved = new Emitter<void>();
  #waiting: Entry[] = [];
  /** Index of the oldest entry in `#waiting`. Removing from the front of an array of thousands would be slow. */
  #first = 0;
  #pendingBytes = 0;
  #inFlight: readonly Entry[] | undefined;
  #stallTimer: NodeJS.Timeout | undefined;
  #stalled = false;
  #ending = false;
  #failure: HostError | undefined;

  constructor(pipe: Writable, options: WriteQueueOptions = {}) {
    this.#pipe = pipe;
    this.#limitBytes = options.limitBytes ?? 64 * 1024 * 1024;
    this.#reserveBytes = options.reserveBytes ?? 256 * 1024;
    this.#writeBytes = options.writeBytes ?? 64 * 1024;
    this.#stallMs = options.stallMs ?? 5_000;
    pipe.on('error', (error) =>
      this.#fail(new HostError('agent_exited', { reason: 'write_failed', ...systemFacts(error) }, { cause: error })),
    );
    pipe.on('close', () => this.#fail(new HostError('agent_exited', { reason: 'pipe_closed' })));
  }

  /** Fires when the agent has not accepted anything for a while, and again after each such time. */
  get onStalled(): Event<WriteStall> {
    return this.#onStalled.event;
  }

  /** Fires when the agent accepts data again after a stall. */
  get onRelieved(): Event<void> {
    return this.#onRelieved.event;
  }

  /** Bytes that wait or are in flight. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /**
   * Takes a callback instead of returning a promise, because there are thousands of requests, and their callers don't wait for it.
   * @param written may be called before this returns; a failure is `queue_full` or `agent_exited`
   */
  write(line: string, written: Written): void {
    if (this.#failure !== undefined) return written(this.#failure);
    if (this.#ending) return written(new HostError('agent_exited', { reason: 'pipe_closed' }));
    const bytes = Buffer.byteLength(line) + 1;
    const roomBytes = this.#limitBytes + (bytes <= smallBytes ? this.#reserveBytes : 0);
    if (this.#pendingBytes > 0 && this.#pendingBytes + bytes > roomBytes) return written(this.#full(bytes));
    this.#pendingBytes += bytes;
    this.#waiting.push({ line, bytes, written });
    this.#flush();
  }

  /** Closes the pipe after everything that was accepted so far. */
  end(): void {
    if (this.#ending) return;
    this.#ending = true;
    this.#flush();
  }

  #full(bytes: number): HostError {
    return new HostError('queue_full', { pendingBytes: this.#pendingBytes, bytes, limitBytes: this.#limitBytes });
  }

  #flush(): void {
    if (this.#inFlight !== undefined || this.#failure !== undefined) return;
    const batch = this.#take();
    if (batch.length === 0) {
      if (this.#ending) this.#pipe.end();
      return;
    }
    this.#inFlight = batch;
    this.#watch();
    // Joins lines and line endings together: appending a line ending to every line would copy each line once more.
    const text = `${batch.map((entry) => entry.line).join('\n')}\n`;
    this.#pipe.write(text, (error) => this.#written(error));
  }

  #take(): readonly Entry[] {
    const from = this.#first;
    let bytes = 0;
    while (this.#first < this.#waiting.length) {
      const entry = this.#waiting[this.#first] as Entry;
      if (bytes > 0 && bytes + entry.bytes > this.#writeBytes) break;
      bytes += entry.bytes;
      this.#first++;
    }
    const batch = this.#waiting.slice(from, this.#first);
    if (this.#first * 2 >= this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#first);
      this.#first = 0;
    }
    return batch;
  }

  #written(error: Error | null | undefined): void {
    const batch = this.#inFlight;
    if (batch === undefined) return;
    if (error) {
      this.#fail(new HostError('agent_exited', { reason: 'write_failed', ...systemFacts(error) }, { cause: error }));
      return;
    }
    this.#inFlight = undefined;
    for (const entry of batch) this.#pendingBytes -= entry.bytes;
    for (const entry of batch) entry.written();
    if (this.#stalled) {
      this.#stalled = false;
      this.#onRelieved.fire();
    }
    if (this.#first < this.#waiting.length || this.#ending) this.#flush();
    else this.#unwatch();
  }

  #watch(): void {
    if (this.#stallTimer !== undefined) {
      this.#stallTimer.refresh();
      return;
    }
    this.#stallTimer = setInterval(() => {
      if (this.#inFlight === undefined) return;
      this.#stalled = true;
      this.#onStalled.fire({ pendingBytes: this.#pendingBytes });
    }, this.#stallMs);
    this.#stallTimer.unref();
  }

  #unwatch(): void {
    clearInterval(this.#stallTimer);
    this.#stallTimer = undefined;
  }

  #fail(failure: HostError): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    this.#unwatch();
    const lost = [...(this.#inFlight ?? []), ...this.#waiting.slice(this.#first)];
    this.#inFlight = undefined;
    this.#waiting = [];
    this.#first = 0;
    this.#pendingBytes = 0;
    for (const entry of lost) entry.written(failure);
  }
}
