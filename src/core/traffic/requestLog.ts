import { cutJson, cutText } from '../base/cutJson.js';
import { keepLatest } from '../base/keepLatest.js';
import type { CancelTarget, FrameDescriber, FrameDescription, FrameDirection, FrameError, FrameId } from './frameDescriber.js';
import type { TrafficEntry } from './trafficEntry.js';

/**
 * `abandoned`: the response is no longer awaited, because of a deadline or because the user canceled. `lost`: the process ended before
 * it responded.
 */
export type RequestOutcome = 'open' | 'ok' | 'error' | 'abandoned' | 'lost';

/** One request of the host or of the agent, with its outcome. */
export interface RequestRecord {
  /** Increases over all processes. Unlike an id, it is never reused. */
  readonly number: number;
  /** Undefined in a protocol without ids. */
  readonly id: FrameId | undefined;
  readonly from: 'host' | 'agent';
  readonly method: string;
  readonly session: string | undefined;
  /** Cut if it is long; not redacted. */
  readonly payload: unknown;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly outcome: RequestOutcome;
  /** The time until the response, or until the request was abandoned or lost; absent while it is open. */
  readonly durationMs?: number;
  /** Present if the response was an error. */
  readonly error?: FrameError;
}

/** Counts over all processes since the log was created. */
export interface TrafficCounters {
  readonly requestsSent: number;
  readonly requestsReceived: number;
  readonly notificationsSent: number;
  readonly notificationsReceived: number;
  /** Requests of the host that the agent answered with an error. */
  readonly errorsReceived: number;
  readonly requestsAbandoned: number;
  /** How often no message crossed the pipe for a minute while a request of the host was open. */
  readonly silences: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
}

const keptRequests = 200;
const silenceMs = 60_000;
const payloadLimits = { stringChars: 200, members: 30, totalChars: 2_000 };
/** A request with a longer id is counted, but not followed. */
const idChars = 200;
const methodChars = 200;
const errorChars = 1_000;
/** Shorter messages are saved unchanged. */
const shortBytes = 2_000;

/**
 * Follows the traffic on the pipe: matches responses with requests, measures their time, and counts. It changes nothing and delays nothing.
 */
export class RequestLog {
  readonly #describer: FrameDescriber;
  readonly #open = { sent: new OpenRequests(), received: new OpenRequests() };
  #recent: OpenRequest[] = [];
  #lastNumber = 0;
  #lastAt = 0;
  readonly #counters: { -readonly [Key in keyof TrafficCounters]: number } = {
    requestsSent: 0,
    requestsReceived: 0,
    notificationsSent: 0,
    notificationsReceived: 0,
    errorsReceived: 0,
    requestsAbandoned: 0,
    silences: 0,
    bytesSent: 0,
    bytesReceived: 0,
  };

  constructor(describer: FrameDescriber) {
    this.#describer = describer;
  }

  get counters(): TrafficCounters {
    return { ...this.#counters };
  }

  /** The latest requests, oldest first. Open ones have no duration yet. */
  get recent(): readonly RequestRecord[] {
    return this.#recent;
  }

  /**
   * Call this for everything that crosses the pipe, in order.
   * @returns the request that the entry is, answers or cancels
   */
  note(entry: TrafficEntry): RequestRecord | undefined {
    if (entry.kind !== 'message') {
      if (entry.kind === 'process') this.#lose(entry.at);
      return undefined;
    }
    const { at, direction, message, bytes } = entry;
    this.#count(at, direction, bytes);
    const frame = this.#describer.describe(message, direction);
    switch (frame.kind) {
      case 'notification':
        if (direction === 'sent') this.#counters.notificationsSent++;
        else this.#counters.notificationsReceived++;
        return frame.cancels === undefined ? undefined : this.#cancel(frame.cancels, direction, at);
      case 'request':
        return this.#begin(frame, direction, at, bytes);
      case 'response':
        return this.#respond(frame, direction, at);
      case 'other':
        return undefined;
    }
  }

  #count(at: number, direction: FrameDirection, bytes: number): void {
    if (direction === 'sent') this.#counters.bytesSent += bytes;
    else {
      this.#counters.bytesReceived += bytes;
      if (at - this.#lastAt > silenceMs && !this.#open.sent.isEmpty) this.#counters.silences++;
    }
    this.#lastAt = at;
  }

  #begin(frame: FrameDescription, direction: FrameDirection, at: number, bytes: number): OpenRequest | undefined {
    const { id, method = '', session, payload } = frame;
    if (direction === 'sent') this.#counters.requestsSent++;
    else this.#counters.requestsReceived++;
    if (typeof id === 'string' && id.length > idChars) return undefined;
    const request: OpenRequest = {
      number: ++this.#lastNumber,
      id,
      from: direction === 'sent' ? 'host' : 'agent',
      method: cutText(method, methodChars),
      session: session === undefined ? undefined : cutText(session, idChars),
      payload: bytes <= shortBytes ? payload : cutJson(payload, payloadLimits),
      startedAt: at,
      outcome: 'open',
    };
    this.#open[direction].add(request);
    this.#recent.push(request);
    if (this.#recent.length > 2 * keptRequests) this.#recent = this.#recent.slice(-keptRequests);
    return request;
  }

  #respond({ id, error }: FrameDescription, direction: FrameDirection, at: number): OpenRequest | undefined {
    const request = this.#open[direction === 'sent' ? 'received' : 'sent'].take(id);
    if (request === undefined) return undefined;
    if (error !== undefined) {
      request.error = { code: error.code, message: cutText(error.message, errorChars) };
      if (direction === 'received') this.#counters.errorsReceived++;
    }
    if (request.outcome === 'open') settle(request, error === undefined ? 'ok' : 'error', at);
    return request;
  }

  /** The other side may still respond, so the request stays among the open ones. */
  #cancel(target: NonNullable<FrameDescription['cancels']>, direction: FrameDirection, at: number): OpenRequest | undefined {
    const request = this.#open[direction].find(target);
    if (request?.outcome !== 'open') return undefined;
    if ('id' in target) {
      this.#counters.requestsAbandoned++;
      settle(request, 'abandoned', at);
    }
    return request;
  }

  #lose(at: number): void {
    for (const open of Object.values(this.#open)) {
      for (const request of open.clear()) if (request.outcome === 'open') settle(request, 'lost', at);
    }
  }
}

function settle(request: OpenRequest, outcome: RequestOutcome, at: number): void {
  request.outcome = outcome;
  request.durationMs = Math.max(0, at - request.startedAt);
}

type OpenRequest = { -readonly [Key in keyof RequestRecord]: RequestRecord[Key] };

/** An agent may send requests endlessly and forget every response. */
const openLimit = 1000;

/** Requests of one side that wait for their response, oldest first. */
class OpenRequests {
  readonly #byId = new Map<FrameId, OpenRequest>();
  /** The requests of a protocol without ids. */
  readonly #inOrder: OpenRequest[] = [];

  get isEmpty(): boolean {
    return this.#byId.size === 0 && this.#inOrder.length === 0;
  }

  add(request: OpenRequest): void {
    if (request.id === undefined) {
      this.#inOrder.push(request);
      if (this.#inOrder.length > openLimit) this.#inOrder.shift();
      return;
    }
    keepLatest(this.#byId, request.id, request, openLimit);
  }

  /** Removes and returns the request that a response with this id, or without an id, answers. */
  take(id: FrameId | undefined): OpenRequest | undefined {
    if (id === undefined) return this.#inOrder.shift();
    const request = this.#byId.get(id);
    this.#byId.delete(id);
    return request;
  }

  find(target: CancelTarget): OpenRequest | undefined {
    if ('id' in target) return this.#byId.get(target.id);
    return [...this.#byId.values(), ...this.#inOrder].find(
      ({ method, session, outcome }) => outcome === 'open' && method === target.method && session === target.session,
    );
  }

  /**
   * Removes all requests.
   * @returns the removed ones
   */
  clear(): readonly OpenRequest[] {
    const all = [...this.#byId.values(), ...this.#inOrder];
    this.#byId.clear();
    this.#inOrder.length = 0;
    return all;
  }
}
