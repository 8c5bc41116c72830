import type { TrafficEntry } from './trafficEntry.js';

/** As seen from the host. */
export type FrameDirection = TrafficEntry['direction'];

/**
 * A `response` answers a `request` of the other side; a `notification` is not answered. `other` is everything that the protocol does not
 * know.
 */
type FrameKind = 'request' | 'response' | 'notification' | 'other';

export type FrameId = string | number;

/**
 * The open request of the same sender that a frame cancels. With an `id`, the sender no longer waits for the response. With a `method`, it
 * asks the other side to end that request early, and still waits for the response.
 */
export type CancelTarget = { readonly id: FrameId } | { readonly method: string; readonly session?: string | undefined };

/** Describes one frame independently of its protocol. */
export interface FrameDescription {
  readonly kind: FrameKind;
  /** Pairs a response with its request. In a protocol without ids, responses answer requests in their order. */
  readonly id?: FrameId | undefined;
  /** The name of the request or notification; absent in a response. */
  readonly method?: string | undefined;
  readonly session?: string | undefined;
  readonly cancels?: CancelTarget | undefined;
  /** Present in a response if the request failed. */
  readonly error?: FrameError | undefined;
  /** The rest of the content of the frame. This is a reference into the frame, not a copy. */
  readonly payload?: unknown;
}

export interface FrameError {
  readonly code?: FrameId | undefined;
  readonly message: string;
}

/** A frame with a piece of a text that continues in later frames. */
export interface StreamedPiece {
  /** Identifies the text; all pieces of the same text have the same one. */
  readonly stream: string;
  readonly text: string;
  /** Returns the same frame with a different text. */
  withText(text: string): unknown;
}

/**
 * What a protocol implements so that its traffic can be shown, counted, exported and replayed. Stateless: a frame is described when it
 * crosses the pipe, and again later, cut and redacted, in any order.
 */
export interface FrameDescriber {
  /** Called for every frame while the agent runs, so it only looks and copies nothing. */
  describe(frame: unknown, direction: FrameDirection): FrameDescription;
  /** Returns the same frame without its content: its shape stays, and each text is replaced by its length. */
  stripContent(frame: unknown): unknown;
  /**
   * Absent if no text comes in pieces.
   * @returns undefined for a frame without a piece
   */
  streamed?(frame: unknown): StreamedPiece | undefined;
  /**
   * Whether a notification with this method, or the response to such a request, ends the texts that were streamed in its session. If it is
   * absent, none does.
   */
  endsTexts?(kind: 'notification' | 'response', method: string): boolean;
  /**
   * Parses a line of the wire without its line ending.
   * @returns undefined for a line that is not a frame
   */
  parse(line: string): unknown;
  /** The reverse of `parse`. */
  format(frame: unknown): string;
  /** Returns the same response for a different request. Absent if the protocol has no ids. */
  withId?(response: unknown, id: FrameId): unknown;
  /** Returns a response that says why there is no other. Absent if the protocol has no such response. */
  refuse?(request: unknown, reason: string): unknown;
}

/** The members of a protocol's objects that are structure. Everything else is content. */
export interface ContentRules {
  /** Members whose strings say what kind of message it is. */
  readonly structural: ReadonlySet<string>;
  /** Members below which every string is about the agent and not about the conversation. */
  readonly harmlessBelow: ReadonlySet<string>;
}

/** Returns a value of the same shape in which the length replaces each text that is content. */
export function stripContent(value: unknown, rules: ContentRules): unknown {
  return strip(value, '', rules);
}

function strip(value: unknown, key: string, rules: ContentRules): unknown {
  if (typeof value === 'string') return rules.structural.has(key) ? value : strippedText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (rules.harmlessBelow.has(key)) return value;
  if (Array.isArray(value)) return value.map((item) => strip(item, key, rules));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, strip(member, name, rules)]));
}

/** Replaces a text that is content. */
export function strippedText(text: string): string {
  return `[${text.length} characters]`;
}
