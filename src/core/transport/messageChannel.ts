import { type Clock, oncePerTask } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import type { HostError } from '../base/errors.js';
import { Emitter, type Event } from '../base/event.js';
import type { TrafficEntry } from '../traffic/trafficEntry.js';
import type { WriteStall, Written } from './writeQueue.js';

/** Receives the messages of a channel. It is called synchronously from the reader, so it should take note and return. */
export interface ChannelSink {
  /** Gets any JSON value that arrived as a message; nothing is known about its shape. `bytes` is its length on the wire. */
  onValue(value: unknown, bytes: number): void;
  /** Whether an object that was found amid other text is a message; without this function, each one is. */
  isMessage?(value: unknown): boolean;
  /** A message over the size limit, or nested too deeply, was dropped; `head` is its beginning. */
  onLineTooLong(head: string): void;
  /** Something that is not JSON arrived. Without this function, it is only counted. */
  onNoise?(): void;
  /** Called once, after the last value. `error` is absent at a regular end. */
  onEnd(error: HostError | undefined): void;
}

/** Transfers JSON values in both directions, in order, over any transport. Knows no protocol. */
export interface MessageChannel extends Disposable {
  /** Starts reading. Call it once. */
  listen(sink: ChannelSink): void;
  /**
   * Adds the message to the write queue.
   * @param sent is called once, perhaps before this returns. A failure is `invalid_message` (the message cannot be written as JSON, and
   * nothing of it was sent), `queue_full` or `agent_exited`.
   */
  send(message: object, sent: Written): void;
  /** Stops reading. No further value is delivered, and the agent notices when its pipe is full. */
  pause(): void;
  resume(): void;
  /** Closes the sending direction after everything that was accepted so far; the agent sees the end of its stdin. */
  end(): void;
  /** The number of lines that were not JSON, except those in which all messages were found. */
  readonly noiseLines: number;
  /** The beginning of the first of them; not redacted. */
  readonly firstNoise: string | undefined;
  /** The beginning of a message whose end has not arrived; not redacted. */
  readonly unfinished: string | undefined;
  /** Fires for every message in both directions, before it is handled. Costs nothing without listeners. */
  readonly onTraffic: Event<TrafficEntry>;
  /** Fires when the agent does not read, and repeatedly while that continues. */
  readonly onStalled: Event<WriteStall>;
  /** Fires when the agent reads again. */
  readonly onRelieved: Event<void>;
}

type Direction = TrafficEntry['direction'];

/** Reports what crosses a channel to listeners. Costs nothing without listeners. */
export class TrafficTap implements Disposable {
  readonly #clock: Clock;
  readonly #traffic = new Emitter<TrafficEntry>();

  constructor(clock: Clock) {
    this.#clock = oncePerTask(clock);
  }

  readonly onTraffic = this.#traffic.event;

  get isWatched(): boolean {
    return this.#traffic.hasListeners;
  }

  /** @param bytes its length on the wire */
  message(direction: Direction, message: unknown, bytes: number): void {
    if (this.isWatched) this.#traffic.fire({ at: this.#clock.now(), direction, kind: 'message', message, bytes });
  }

  /** Reports something that is not a message. */
  noise(text: string, bytes: number): void {
    if (this.isWatched) this.#traffic.fire({ at: this.#clock.now(), direction: 'received', kind: 'noise', text, bytes });
  }

  dispose(): void {
    this.#traffic.dispose();
  }
}
