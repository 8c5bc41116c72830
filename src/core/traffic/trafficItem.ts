/** What can be read of the kept traffic of one agent. */
import type { FrameDescription } from './frameDescriber.js';
import type { RequestRecord, TrafficCounters } from './requestLog.js';
import type { TrafficEntry } from './trafficEntry.js';

/** One of the entries that are kept, redacted. */
export interface TrafficItem {
  /** Counts up by one; a gap means that what lay between is not kept any more. */
  readonly seq: number;
  readonly entry: TrafficEntry;
  /** What a message is; absent for everything else. */
  readonly frame: FrameDescription | undefined;
  /** The request that it is, answers or cancels, as far as is known of it when this is read. */
  readonly request: RequestRecord | undefined;
}

export interface ReadTraffic {
  /** Only what came after this one. */
  readonly after?: number;
  /** Only the newest so many. */
  readonly limit?: number;
}

/** What did not go as it should on one connection, counted over its life. */
export interface ConnectionStats {
  /** Requests that were not answered within their deadline. */
  readonly timeouts: number;
  /** Lines on stdout that were not of the protocol. */
  readonly noiseLines: number;
  /** Messages that are none of the protocol. */
  readonly invalidMessages: number;
  /** Responses to requests that nobody made, or that were answered already. */
  readonly unknownResponses: number;
  /** Messages, or parts of them, of kinds that the host does not know. */
  readonly leftOut: number;
  /** Times that reading was paused, because more came than could be handled. */
  readonly pauses: number;
}

/** Counted since the host was made, over all its processes. */
export interface HostCounters extends TrafficCounters, ConnectionStats {
  /** Processes started. */
  readonly starts: number;
  /** Of these, the ones after the first. */
  readonly restarts: number;
}
