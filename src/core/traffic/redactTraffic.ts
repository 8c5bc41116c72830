/** Removes the secrets from traffic, including those that an agent streams in pieces, of which no single frame contains a whole secret. */
import type { Redactor } from '../base/redact.js';
import type { FrameDescriber, StreamedPiece } from './frameDescriber.js';
import type { RequestRecord } from './requestLog.js';
import { redactTraffic, type TrafficEntry } from './trafficEntry.js';

/** How much of the preceding text is used to recognize a secret. */
const contextChars = 4_096;

const stderrStream = 'stderr';

interface Piece extends Omit<StreamedPiece, 'withText'> {
  withText(text: string): TrafficEntry;
}

/** Lines of stderr are pieces too, because a key may have many lines. */
function pieceOf(entry: TrafficEntry, describer: FrameDescriber): Piece | undefined {
  if (entry.kind === 'stderr')
    return { stream: stderrStream, text: `${entry.text}\n`, withText: (text) => ({ ...entry, text: text.replace(/\n$/, '') }) };
  if (entry.kind !== 'message') return undefined;
  const piece = describer.streamed?.(entry.message);
  return piece && { ...piece, withText: (text) => ({ ...entry, message: piece.withText(text) }) };
}

/** @param entries in their order; a gap only affects secrets that span it */
export function redactTogether(entries: readonly TrafficEntry[], describer: FrameDescriber, redactor: Redactor): readonly TrafficEntry[] {
  const streams = new Map<string, { readonly index: number; readonly piece: Piece }[]>();
  for (const [index, entry] of entries.entries()) {
    const piece = pieceOf(entry, describer);
    if (piece === undefined) continue;
    const stream = streams.get(piece.stream);
    if (stream === undefined) streams.set(piece.stream, [{ index, piece }]);
    else stream.push({ index, piece });
  }
  const out = [...entries];
  for (const parts of streams.values()) {
    const texts = redactor.pieces(parts.map(({ piece }) => piece.text));
    for (const [at, { index, piece }] of parts.entries()) {
      const text = texts[at];
      if (text !== undefined && text !== piece.text) out[index] = piece.withText(text);
    }
  }
  return out.map((entry) => redactTraffic(entry, redactor));
}

/** What was shown of a text, and what is hidden because it may begin a secret. */
interface LiveStream {
  /** The end of what was shown. */
  readonly context: string;
  readonly hidden: string;
  readonly session: string | undefined;
  readonly last: Piece;
}

/**
 * Redacts entries that are shown one by one as they arrive. The end of a piece that may begin a secret is shown with the next piece of its
 * stream or, once the text is over, as a separate last piece.
 */
export class LiveRedaction {
  readonly #describer: FrameDescriber;
  readonly #redactor: Redactor;
  readonly #streams = new Map<string, LiveStream>();

  constructor(describer: FrameDescriber, redactor: Redactor) {
    this.#describer = describer;
    this.#redactor = redactor;
  }

  /**
   * @param request the request that the entry belongs to
   * @returns what can be shown now, in order; the entry itself is last
   */
  redact(entry: TrafficEntry, request?: RequestRecord): readonly TrafficEntry[] {
    const piece = pieceOf(entry, this.#describer);
    if (piece !== undefined) return [this.#redactPiece(entry, piece)];
    return [...this.#endTexts(entry, request), redactTraffic(entry, this.#redactor)];
  }

  /** Shows the hidden ends of texts that are over: nothing follows, so each one either is a secret or is not. */
  #endTexts(entry: TrafficEntry, request: RequestRecord | undefined): readonly TrafficEntry[] {
    const isOver = this.#whatEnds(entry, request);
    return [...this.#streams].flatMap(([name, stream]) => {
      if (stream.hidden === '' || !isOver(stream)) return [];
      const { context, hidden, last } = stream;
      const [, shown = ''] = this.#redactor.pieces([context, hidden]);
      this.#streams.set(name, { ...stream, context: `${context}${hidden}`.slice(-contextChars), hidden: '' });
      return [redactTraffic(last.withText(shown), this.#redactor)];
    });
  }

  #whatEnds(entry: TrafficEntry, request: RequestRecord | undefined): (stream: LiveStream) => boolean {
    if (entry.kind === 'process') return () => entry.event === 'ended';
    const end = entry.kind === 'message' && entry.direction === 'received' ? this.#whatEndsTexts(entry.message, request) : undefined;
    return ({ session, last }) => end !== undefined && session === end.session && last.stream !== stderrStream;
  }

  /** @returns the session whose texts are over; it is undefined in a protocol with one session per connection */
  #whatEndsTexts(frame: unknown, request: RequestRecord | undefined): { readonly session: string | undefined } | undefined {
    const { kind, method, session } = this.#describer.describe(frame, 'received');
    if (kind === 'notification') return this.#describer.endsTexts?.(kind, method ?? '') === true ? { session } : undefined;
    if (kind !== 'response' || request?.from !== 'host') return undefined;
    return this.#describer.endsTexts?.(kind, request.method) === true ? { session: request.session } : undefined;
  }

  #redactPiece(entry: TrafficEntry, piece: Piece): TrafficEntry {
    const { context, hidden } = this.#streams.get(piece.stream) ?? { context: '', hidden: '' };
    const session = entry.kind === 'message' ? this.#describer.describe(entry.message, entry.direction).session : undefined;
    const all = context + hidden + piece.text;
    const end = Math.max(context.length, this.#redactor.tailAt(all));
    const [, shown = ''] = this.#redactor.pieces([context, all.slice(context.length, end)]);
    const shownBefore = all.slice(Math.max(0, end - contextChars), end);
    this.#streams.set(piece.stream, { context: shownBefore, hidden: all.slice(end), session, last: piece });
    return redactTraffic(piece.withText(shown), this.#redactor);
  }
}
