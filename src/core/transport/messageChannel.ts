import type { Disposable } from '../base/disposable.js';
import type { HostError } from '../base/errors.js';
import type { Event } from '../base/event.js';
import type { TrafficEntry } from '../traffic/trafficEntry.js';
import type { WriteStall, Written } from './writeQueue.js';

/** Where the messages of a channel go. Called synchronously from the reader: take note and return. */
export interface ChannelSink {
  /** Any JSON value that came as a message of its own; nothing is known of its shape. `bytes`: its length on the wire. */
  onValue(value: unknown, bytes: number): void;
  /** A message over the size limit, or nested too deeply, was dropped; `head` is how it began. */
  onLineTooLong(head: string): void;
  /** Something came that is no JSON. Absent: that is counted, and nothing else. */
  onNoise?(): void;
  /** Once, after the last value. `error` is absent at an ordinary end. */
  onEnd(error: HostError | undefined): void;
}

/** JSON values in both directions, in order, over whatever carries them. Knows no protocol. */
export interface MessageChannel extends Disposable {
  /** Begins to read. Call once. */
  listen(sink: ChannelSink): void;
  /**
   * Takes its turn in the write queue.
   * @param sent called once, perhaps before this returns. A failure is `invalid_message` (it cannot be written as JSON, and nothing of it was
   * sent), `queue_full` or `agent_exited`.
   */
  send(message: object, sent: Written): void;
  /** Stops reading: not one more value, and the agent feels it when its pipe is full. */
  pause(): void;
  resume(): void;
  /** Closes the sending direction after what was accepted so far; the agent sees the end of its stdin. */
  end(): void;
  /** Lines that were no JSON. */
  readonly noiseLines: number;
  /** How the first of them began; not redacted. */
  readonly firstNoise: string | undefined;
  /** Every message in both directions, before it is acted upon; costs nothing while nobody listens. */
  readonly onTraffic: Event<TrafficEntry>;
  /** The agent does not read; told again while that goes on. */
  readonly onStalled: Event<WriteStall>;
  /** It reads again. */
  readonly onRelieved: Event<void>;
}
