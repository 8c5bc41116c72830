import { cutJson, cutText } from '../base/cutJson.js';
import type { FrameDescriber, FrameDescription, FrameDirection, FrameError, FrameId } from './frameDescriber.js';
import { type OpenRequest, OpenRequests } from './openRequests.js';
import type { TrafficEntry } from './trafficEntry.js';

/** `abandoned`: nobody waits for the response any more, because of a deadline or because the user cancelled. `lost`: the process ended before it responded. */
export type RequestOutcome = 'open' | 'ok' | 'error' | 'abandoned' | 'lost';

/** One request, of the host or of the agent, and what became of it. */
export interface RequestRecord {
  /** Counts up, over all processes: unlike an id it is never used twice. */
  readonly number: number;
  /** Absent in a protocol without ids. */
  readonly id: FrameId | undefined;
  readonly from: 'host' | 'agent';
  readonly method: string;
  readonly session: string | undefined;
  /** Cut where it is long; not redacted. */
  readonly payload: unknown;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly outcome: RequestOutcome;
  /** Until the response came, or it was abandoned or lost; absent while it is open. */
  readonly durationMs?: number;
  /** The response, where it was an error. */
  readonly error?: FrameError;
}

/** Since the log was made, over all processes. */
export interface TrafficCounters {
  readonly requestsSent: number;
  readonly requestsReceived: number;
  readonly notificationsSent: number;
  readonly notificationsReceived: number;
  /** Requests of the host that the agent answered with an error. */
  readonly errorsReceived: number;
  readonly requestsAbandoned: number;
  /** Times that a request of the host saw no message either way for a minute. */
  readonly silences: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
}

const keptRequests = 200;
const silenceMs = 60_000;
const payloadLimits = { stringChars: 200, members: 30, totalChars: 2_000 };
/** A request with a longer id is counted and not followed. */
const idChars = 200;
const methodChars = 200;
const errorChars = 1_000;
/** Shorter messages are kept as they are. */
const shortBytes = 2_000;

/** Reads along on the pipe: which response belongs to which request, how long it took, and counts. It changes nothing and delays nothing. */
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

  /** The last ones, oldest first. Those that are open have no duration yet. */
  get recent(): readonly RequestRecord[] {
    return this.#recent;
  }

  /** To be called for everything that crosses the pipe, in order. @returns the request that it is, answers or cancels */
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

  /** The other side may respond all the same, so the request stays in the book. */
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
