import type { Readable, Writable } from 'node:stream';
import { type Clock, systemClock } from '../base/clock.js';
import { HostError } from '../base/errors.js';
import type { Event } from '../base/event.js';
import { type Logger, nullLogger } from '../base/logger.js';
import { stringify } from '../base/exactId.js';
import { type LineLimits, defaultLineLimits } from './lineSplitter.js';
import { type ChannelSink, type MessageChannel, TrafficTap } from './messageChannel.js';
import { NdjsonReader } from './ndjsonReader.js';
import type { TrafficEntry } from '../traffic/trafficEntry.js';
import { WriteQueue, type WriteQueueOptions, type WriteStall, type Written } from './writeQueue.js';

export interface NdjsonChannelOptions {
  readonly log?: Logger;
  readonly clock?: Clock;
  readonly lineLimits?: LineLimits;
  readonly writeQueue?: WriteQueueOptions;
  /** If this many lines that are not messages precede the first message, the program is not an agent. */
  readonly noiseLimitLines?: number;
}

/** A banner is worth a warning, but a program that logs to stdout is not worth a thousand warnings. */
const warnedNoiseLines = 5;
/** The number of noise lines that are logged for tracing; of further ones, only their number is known. */
const loggedNoiseLines = 200;

/** Reads and writes one JSON value per line over a pair of pipes. The owner of the pipes keeps them; `dispose` only stops reading. */
export class NdjsonChannel implements MessageChannel {
  readonly #reader: NdjsonReader;
  readonly #queue: WriteQueue;
  readonly #log: Logger;
  readonly #tap: TrafficTap;
  readonly #noiseLimitLines: number;
  #noiseLines = 0;
  #firstNoise: string | undefined;
  #sawValue = false;
  #sink: ChannelSink | undefined;

  constructor(readable: Readable, writable: Writable, options: NdjsonChannelOptions = {}) {
    this.#queue = new WriteQueue(writable, options.writeQueue);
    this.#log = options.log ?? nullLogger;
    this.#tap = new TrafficTap(options.clock ?? systemClock);
    this.#noiseLimitLines = options.noiseLimitLines ?? 1000;
    const lineLimits = options.lineLimits ?? defaultLineLimits;
    this.#reader = new NdjsonReader(
      readable,
      {
        onValue: (value, bytes) => {
          this.#sawValue = true;
          this.#tap.message('received', value, bytes);
          this.#sink?.onValue(value, bytes);
        },
        isMessage: (value) => this.#sink?.isMessage?.(value) ?? true,
        onNoise: (text, bytes, isRead) => (isRead ? this.#tap.noise(text, bytes) : this.#noise(text, bytes)),
        onLineTooLong: (head) => {
          this.#log.error('Dropped a line of the agent that is too long or nested too deeply', {
            limitBytes: lineLimits.lineBytes,
          });
          this.#sink?.onLineTooLong(head);
        },
        onEnd: (error) => this.#sink?.onEnd(error),
      },
      lineLimits,
    );
  }

  get onTraffic(): Event<TrafficEntry> {
    return this.#tap.onTraffic;
  }

  get onStalled(): Event<WriteStall> {
    return this.#queue.onStalled;
  }

  get onRelieved(): Event<void> {
    return this.#queue.onRelieved;
  }

  get noiseLines(): number {
    return this.#noiseLines;
  }

  get firstNoise(): string | undefined {
    return this.#firstNoise;
  }

  get unfinished(): string | undefined {
    return this.#reader.unfinished;
  }

  listen(sink: ChannelSink): void {
    if (this.#sink !== undefined) throw new HostError('internal', { reason: 'channel_read_twice' });
    this.#sink = sink;
    this.#reader.resume();
  }

  send(message: object, sent: Written): void {
    let line: string;
    try {
      line = stringify(message);
    } catch (error) {
      return sent(new HostError('invalid_message', { reason: 'not_json' }, { cause: error }));
    }
    // The length is only counted if there is a listener.
    if (this.#tap.isWatched) this.#tap.message('sent', message, Buffer.byteLength(line));
    this.#queue.write(line, sent);
  }

  pause(): void {
    this.#reader.pause();
  }

  resume(): void {
    this.#reader.resume();
  }

  end(): void {
    this.#queue.end();
  }

  dispose(): void {
    this.#reader.dispose();
    this.#tap.dispose();
  }

  #noise(text: string, bytes: number): void {
    this.#noiseLines++;
    this.#firstNoise ??= text;
    if (this.#noiseLines <= warnedNoiseLines) this.#log.warn('The agent wrote a line to stdout that is not a message', { text, bytes });
    else if (this.#noiseLines <= loggedNoiseLines) this.#log.debug('Noise on stdout', { text, bytes });
    else if (this.#noiseLines === loggedNoiseLines + 1)
      this.#log.warn('The agent keeps writing lines to stdout that are not messages; they are no longer logged');
    this.#tap.noise(text, bytes);
    if (!this.#sawValue && this.#noiseLines === this.#noiseLimitLines) {
      this.#reader.dispose();
      this.#sink?.onEnd(new HostError('invalid_message', { reason: 'only_text', lines: this.#noiseLines }));
    }
  }
}
