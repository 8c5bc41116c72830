import type { TrafficEntry } from './trafficEntry.js';

/** Seen from the host. */
export type FrameDirection = TrafficEntry['direction'];

/** A `response` answers a `request` of the other side; a `notification` is not answered. `other` is everything that the protocol does not know. */
export type FrameKind = 'request' | 'response' | 'notification' | 'other';

export type FrameId = string | number;

/**
 * Which open request of the same sender a frame cancels. With an `id` the sender no longer waits for the response. With a `method` it asks the
 * other side to end that request early, and still waits for it.
 */
export type CancelTarget = { readonly id: FrameId } | { readonly method: string; readonly session?: string | undefined };

/** What one frame is, in the words of no protocol. */
export interface FrameDescription {
  readonly kind: FrameKind;
  /** Pairs a response with its request. In a protocol without ids, responses answer requests in their order. */
  readonly id?: FrameId | undefined;
  /** The name of what is asked or told; absent in a response. */
  readonly method?: string | undefined;
  readonly session?: string | undefined;
  readonly cancels?: CancelTarget | undefined;
  /** Of a response: the request failed. */
  readonly error?: FrameError | undefined;
  /** What the frame carries beside all that. A reference into the frame, not a copy. */
  readonly payload?: unknown;
}

export interface FrameError {
  readonly code?: FrameId | undefined;
  readonly message: string;
}

/** A frame that carries a piece of a text which goes on in later frames. */
export interface StreamedPiece {
  /** Pieces of the same text have the same one. */
  readonly stream: string;
  readonly text: string;
  /** The same frame with another text. */
  withText(text: string): unknown;
}

/**
 * What a protocol contributes, so that its traffic can be shown, counted, exported and replayed. Stateless: a frame is described when it crosses
 * the pipe, and again later, cut and redacted, in any order.
 */
export interface FrameDescriber {
  /** Called for every frame while the agent runs: looks, and copies nothing. */
  describe(frame: unknown, direction: FrameDirection): FrameDescription;
  /** The same frame without what was said in it: its shape stays, and of each text its length. */
  stripContent(frame: unknown): unknown;
  /** Absent where no text comes in pieces. @returns undefined for a frame that carries none */
  streamed?(frame: unknown): StreamedPiece | undefined;
  /** Whether a notification of this method, or a response to a request of it, ends the texts that were streamed in its session. Absent: none does. */
  endsTexts?(kind: 'notification' | 'response', method: string): boolean;
  /** A line of the wire, without its end. @returns undefined for a line that is not a frame */
  parse(line: string): unknown;
  /** The reverse of `parse`. */
  format(frame: unknown): string;
  /** The same response, to another request. Absent where the protocol has no ids. */
  withId?(response: unknown, id: FrameId): unknown;
  /** A response that says why there is no other. Absent where the protocol cannot say so. */
  refuse?(request: unknown, reason: string): unknown;
}
