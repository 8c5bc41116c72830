import type { Logger } from '../base/logger.js';
import { flawOf, type WireResponse } from './message.js';
import type { PeerMisfit } from './peer.js';

/** How many of a kind are worth a warning: a program that logs JSON to stdout is not worth a thousand. */
const warnedMessages = 5;

/** Counts the messages that a peer could not use, and says why in the log. */
export class Misfits {
  invalid = 0;
  foreign = 0;
  first: PeerMisfit | undefined;
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  noMessage(value: unknown): void {
    this.first ??= { kind: Array.isArray(value) ? 'batch' : 'no_message', message: value };
    this.refuse(flawOf(value), value);
  }

  refuse(why: string, value: unknown): void {
    const facts = { type: Array.isArray(value) ? 'array' : typeof value };
    const log = this.#logFor(++this.invalid);
    log.warn(`Ignored an invalid message of the agent: ${why}`, facts);
  }

  /** @param pending the ids of requests that have no answer yet */
  foreignId(message: WireResponse, pending: Iterable<string | number>): void {
    this.first ??= { kind: 'foreign_id', message };
    const facts = { id: message.id, pending: [...pending].slice(0, warnedMessages) };
    const log = this.#logFor(++this.foreign);
    log.warn('The agent answered a request that is not pending', facts);
  }

  /** Returns a log that demotes the warnings of which there were enough. */
  #logFor(count: number): Pick<Logger, 'warn'> {
    return count <= warnedMessages ? this.#log : { warn: (message, ...facts) => this.#log.debug(message, ...facts) };
  }
}
