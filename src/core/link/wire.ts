import * as z from 'zod/mini';
import type { Disposable } from '../base/disposable.js';
import { HostError, hostErrorCodes, toHostError } from '../base/errors.js';
import { Emitter, type Event } from '../base/event.js';

/** One end of a connection between a front end and an engine. Delivers in order. */
export interface Wire extends Disposable {
  /**
   * Asks the other end.
   * @throws HostError what the other end threw (code and params survive), or `engine_lost` once the connection is closed: pending calls settle with it
   */
  call(method: string, params: unknown): Promise<unknown>;
  /**
   * Tells the other end something. Resolves when the message was handed to the system (socket drained), so that a sender can pace itself
   * by a slow reader; never rejects. What was not handed over when this end is disposed of is lost. @returns undefined if nothing is slow
   */
  tell(channel: string, message: unknown): Promise<void> | undefined;
  /** Answers the calls of the other end; set once, in the task in which you get the wire. */
  serve(handler: WireHandler): void;
  readonly onTold: Event<Told>;
  /** Fires once, also when this end is disposed of. If the other end closed, everything that was read from it is delivered before. */
  readonly onClosed: Event<HostError>;
}

export type WireHandler = (method: string, params: unknown) => Promise<unknown>;

export interface Told {
  readonly channel: string;
  readonly message: unknown;
}

/** What both kinds of wire have: calls without an answer, in both directions, and the end that settles them. */
export class WireEnd {
  readonly told = new Emitter<Told>();
  readonly closed = new Emitter<HostError>();
  readonly #asked = new Set<(end: HostError) => void>();
  #handler: WireHandler = () => Promise.reject(new HostError('internal', { reason: 'wire_not_served' }));
  #end: HostError | undefined;

  get end(): HostError | undefined {
    return this.#end;
  }

  serve(handler: WireHandler): void {
    this.#handler = handler;
  }

  /** @param ask sends the call; what it throws reaches the caller as a HostError */
  ask<T>(ask: () => Promise<T>): Promise<T> {
    const known = this.#end;
    if (known !== undefined) return Promise.reject(known);
    return new Promise<T>((resolve, reject) => {
      this.#asked.add(reject);
      ask()
        .then(resolve, (thrown: unknown) => reject(toHostError(thrown)))
        .finally(() => this.#asked.delete(reject));
    });
  }

  /** Calls the handler synchronously. */
  async answer(method: string, params: unknown): Promise<unknown> {
    return this.#handler(method, params);
  }

  close(end: HostError): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    for (const reject of this.#asked) reject(end);
    this.closed.fire(end);
  }
}

/** Connects a front end to an engine in the same process: tells are delivered synchronously, and nothing is cloned. */
export function createWirePair(): readonly [Wire, Wire] {
  const [one, two] = [new WireEnd(), new WireEnd()];
  return [joinEnds(one, two), joinEnds(two, one)];
}

function joinEnds(own: WireEnd, other: WireEnd): Wire {
  const inOrder = createOrder();
  return {
    call: (method, params) =>
      own.ask(
        () =>
          new Promise((resolve, reject) => {
            inOrder(() => void other.answer(method, params).then(resolve, reject));
          }),
      ),
    tell(channel, message) {
      if (own.end === undefined) inOrder(() => other.told.fire({ channel, message }));
      return undefined;
    },
    serve: (handler) => own.serve(handler),
    onTold: own.told.event,
    onClosed: own.closed.event,
    dispose() {
      own.close(new HostError('engine_lost', { reason: 'disposed' }));
      other.close(new HostError('engine_lost', { reason: 'closed' }));
    },
  };
}

/** Returns what runs tasks at once or, while one of them runs, after it: a call that a listener makes does not overtake a tell. */
function createOrder(): (task: () => void) => void {
  const tasks: (() => void)[] = [];
  let isRunning = false;
  return (task) => {
    tasks.push(task);
    if (isRunning) return;
    isRunning = true;
    try {
      for (let next = tasks.shift(); next !== undefined; next = tasks.shift()) next();
    } finally {
      isRunning = false;
    }
  };
}

/** Reads a code that this version doesn't know as `internal`. */
const errorData = z.object({ code: z.catch(z.enum(hostErrorCodes), 'internal'), params: z.record(z.string(), z.unknown()) });

/** @returns undefined for anything but the data of a HostError */
export function readErrorData(value: unknown): HostError | undefined {
  const parsed = errorData.safeParse(value);
  return parsed.success ? HostError.from(parsed.data) : undefined;
}
