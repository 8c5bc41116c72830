/** What readers get of the recorded traffic of one agent. */
import type { FrameDescription } from './frameDescriber.js';
import type { RequestRecord, TrafficCounters } from './requestLog.js';
import type { TrafficEntry } from './trafficEntry.js';

/** One recorded entry, redacted. */
export interface TrafficItem {
  /** Increases by one for each entry; a gap means that the entries in between are no longer available. */
  readonly seq: number;
  readonly entry: TrafficEntry;
  /** The description of a message; undefined for all other entries. */
  readonly frame: FrameDescription | undefined;
  /** The request that the message is, answers or cancels, with what is known about it at the time of reading. */
  readonly request: RequestRecord | undefined;
}

/** Which part of the recorded traffic to read; without members, all of it. */
export interface ReadTraffic {
  /** Only entries after this `seq`. */
  readonly after?: number;
  /** At most this many of the newest entries. */
  readonly limit?: number;
}

/** Counts problems of one connection over its lifetime. */
export interface ConnectionStats {
  /** Requests that were not answered before their deadline. */
  readonly timeouts: number;
  /** Lines on stdout that were not messages of the protocol. */
  readonly noiseLines: number;
  /** Messages that are not valid in the protocol. */
  readonly invalidMessages: number;
  /** Responses to requests that were never made, or that were already answered. */
  readonly unknownResponses: number;
  /** Messages, or parts of them, of kinds that the host does not know. */
  readonly leftOut: number;
  /** How often reading was paused because more arrived than could be handled. */
  readonly pauses: number;
}

export const noStats: ConnectionStats = { timeouts: 0, noiseLines: 0, invalidMessages: 0, unknownResponses: 0, leftOut: 0, pauses: 0 };

export function sumOfStats(one: ConnectionStats, other: ConnectionStats): ConnectionStats {
  return {
    timeouts: one.timeouts + other.timeouts,
    noiseLines: one.noiseLines + other.noiseLines,
    invalidMessages: one.invalidMessages + other.invalidMessages,
    unknownResponses: one.unknownResponses + other.unknownResponses,
    leftOut: one.leftOut + other.leftOut,
    pauses: one.pauses + other.pauses,
  };
}

/** Counts over all processes since the host was created. */
export interface HostCounters extends TrafficCounters, ConnectionStats {
  /** Processes that were started. */
  readonly starts: number;
  /** Starts after the first one. */
  readonly restarts: number;
}
