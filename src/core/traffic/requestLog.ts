import type { TrafficEntry } from './trafficEntry.js';
import { cutJson, cutText } from '../base/cutJson.js';
import { isId, isNotification, isRequest, isResponse, namedParams, readWireError } from '../rpc/message.js';

/** `given_up`: nobody waits for the answer any more, because of a deadline or because the user cancelled. `lost`: the process ended before it answered. */
export type RequestOutcome = 'open' | 'ok' | 'error' | 'given_up' | 'lost';

/** One request, of the host or of the agent, and what became of it. */
export interface RequestRecord {
  readonly id: string | number;
  readonly from: 'host' | 'agent';
  readonly method: string;
  /** Cut where they are long; not redacted. */
  readonly params: unknown;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly outcome: RequestOutcome;
  /** Until it was answered, given up or lost; absent while it is open. */
  readonly durationMs?: number;
  /** The answer, where it was an error. */
  readonly error?: { readonly code: number; readonly message: string };
}

/** Since the log was made, over all processes. */
export interface TrafficCounters {
  readonly requestsSent: number;
  readonly requestsReceived: number;
  readonly notificationsSent: number;
  readonly notificationsReceived: number;
  /** Requests of the host that the agent answered with an error. */
  readonly errorsReceived: number;
  readonly requestsGivenUp: number;
  /** Times that a request of the host saw no message either way for a minute. */
  readonly quietSpells: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
}

type Open = { -readonly [Key in keyof RequestRecord]: RequestRecord[Key] };

const keptRequests = 200;
/** An agent may ask without end and forget every answer. */
const openLimit = 1000;
const quietMs = 60_000;
const paramsLimits = { stringChars: 200, members: 30, totalChars: 2_000 };
/** A request with a longer id is counted and not followed. */
const idChars = 200;
const methodChars = 200;
const errorChars = 1_000;
/** Shorter messages are kept as they are. */
const shortBytes = 2_000;

const CANCEL = '$/cancel_request';

/** Reads along on the pipe: which answer belongs to which request, how long it took, and counts. It changes nothing and delays nothing. */
export class RequestLog {
  readonly #open = { sent: new Map<string | number, Open>(), received: new Map<string | number, Open>() };
  #recent: Open[] = [];
  #lastAt = 0;
  readonly #counters: { -readonly [Key in keyof TrafficCounters]: number } = {
    requestsSent: 0,
    requestsReceived: 0,
    notificationsSent: 0,
    notificationsReceived: 0,
    errorsReceived: 0,
    requestsGivenUp: 0,
    quietSpells: 0,
    bytesSent: 0,
    bytesReceived: 0,
  };

  get counters(): TrafficCounters {
    return { ...this.#counters };
  }

  /** The last ones, oldest first. Those that are open have no duration yet. */
  get recent(): readonly RequestRecord[] {
    return this.#recent;
  }

  /** To be called for everything that crosses the pipe, in order. @returns the request that it is, answers or cancels */
  note(entry: TrafficEntry): RequestRecord | undefined {
    const counters = this.#counters;
    if (entry.kind !== 'message') {
      if (entry.kind === 'process') this.#lose(entry.at);
      return undefined;
    }
    const { at, direction, message, bytes } = entry;
    const sent = direction === 'sent';
    if (sent) counters.bytesSent += bytes;
    else {
      counters.bytesReceived += bytes;
      if (at - this.#lastAt > quietMs && this.#open.sent.size > 0) counters.quietSpells++;
    }
    this.#lastAt = at;
    if (isNotification(message)) {
      if (sent) counters.notificationsSent++;
      else counters.notificationsReceived++;
      return message.method === CANCEL ? this.#giveUp(message.params, direction, at) : undefined;
    }
    if (isRequest(message)) return this.#begin(message, direction, at, bytes);
    return isResponse(message) ? this.#answer(message, direction, at) : undefined;
  }

  #begin(
    { id, method, params }: { readonly id: string | number; readonly method: string; readonly params?: unknown },
    direction: 'sent' | 'received',
    at: number,
    bytes: number,
  ): Open | undefined {
    if (direction === 'sent') this.#counters.requestsSent++;
    else this.#counters.requestsReceived++;
    if (typeof id === 'string' && id.length > idChars) return undefined;
    const kept = bytes <= shortBytes ? params : cutJson(params, paramsLimits);
    const request: Open = {
      id,
      from: direction === 'sent' ? 'host' : 'agent',
      method: cutText(method, methodChars),
      params: kept,
      startedAt: at,
      outcome: 'open',
    };
    const open = this.#open[direction];
    open.set(id, request);
    const oldest = open.size > openLimit ? open.keys().next().value : undefined;
    if (oldest !== undefined) open.delete(oldest);
    this.#recent.push(request);
    if (this.#recent.length > 2 * keptRequests) this.#recent = this.#recent.slice(-keptRequests);
    return request;
  }

  #answer(
    { id, error }: { readonly id: string | number; readonly error?: unknown },
    direction: 'sent' | 'received',
    at: number,
  ): Open | undefined {
    const open = this.#open[direction === 'sent' ? 'received' : 'sent'];
    const request = open.get(id);
    if (request === undefined) return undefined;
    open.delete(id);
    if (error !== undefined && error !== null) {
      const { code, message } = readWireError(error);
      request.error = { code, message: cutText(message, errorChars) };
      if (direction === 'received') this.#counters.errorsReceived++;
    }
    if (request.outcome === 'open') settle(request, request.error === undefined ? 'ok' : 'error', at);
    return request;
  }

  /** The other side may answer all the same, so the request stays in the book. */
  #giveUp(params: unknown, direction: 'sent' | 'received', at: number): Open | undefined {
    const named = namedParams(params);
    const id: unknown = named !== undefined && 'requestId' in named ? named.requestId : undefined;
    const request = isId(id) ? this.#open[direction].get(id) : undefined;
    if (request?.outcome !== 'open') return undefined;
    this.#counters.requestsGivenUp++;
    settle(request, 'given_up', at);
    return request;
  }

  #lose(at: number): void {
    for (const open of Object.values(this.#open)) {
      for (const request of open.values()) if (request.outcome === 'open') settle(request, 'lost', at);
      open.clear();
    }
  }
}

function settle(request: Open, outcome: RequestOutcome, at: number): void {
  request.outcome = outcome;
  request.durationMs = Math.max(0, at - request.startedAt);
}
