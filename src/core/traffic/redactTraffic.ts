/** Takes the secrets out of traffic, also those that an agent streams in pieces: no frame alone holds one. */
import type { Redactor } from '../base/redact.js';
import type { FrameDescriber, StreamedPiece } from './frameDescriber.js';
import type { RequestRecord } from './requestLog.js';
import { redactTraffic, type TrafficEntry } from './trafficEntry.js';

/** What belongs together is told by this much of the text before. */
const contextChars = 4_096;

const stderrStream = 'stderr';

interface Piece extends Omit<StreamedPiece, 'withText'> {
  withText(text: string): TrafficEntry;
}

/** Lines of stderr are pieces as well: a key may have many lines. */
function pieceOf(entry: TrafficEntry, describer: FrameDescriber): Piece | undefined {
  if (entry.kind === 'stderr')
    return { stream: stderrStream, text: `${entry.text}\n`, withText: (text) => ({ ...entry, text: text.replace(/\n$/, '') }) };
  if (entry.kind !== 'message') return undefined;
  const piece = describer.streamed?.(entry.message);
  return piece && { ...piece, withText: (text) => ({ ...entry, message: piece.withText(text) }) };
}

/** @param entries in their order; what is missing in between is no harm but to what it was part of */
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

/** What was shown of a text, and what was not yet because it may begin a secret. */
interface LiveStream {
  /** The end of what was shown. */
  readonly context: string;
  readonly hidden: string;
  readonly session: string | undefined;
  readonly last: Piece;
}

/**
 * The same for entries that are shown one by one as they come: the end of a piece that may begin a secret is shown with the next piece of its stream,
 * or, once the text is over, as a last piece of its own.
 */
export class LiveRedaction {
  readonly #describer: FrameDescriber;
  readonly #redactor: Redactor;
  readonly #streams = new Map<string, LiveStream>();

  constructor(describer: FrameDescriber, redactor: Redactor) {
    this.#describer = describer;
    this.#redactor = redactor;
  }

  /** @param request that the entry is about @returns what is shown now, in order; the entry is the last of it */
  redact(entry: TrafficEntry, request?: RequestRecord): readonly TrafficEntry[] {
    const piece = pieceOf(entry, this.#describer);
    if (piece !== undefined) return [this.#redactPiece(entry, piece)];
    return [...this.#endTexts(entry, request), redactTraffic(entry, this.#redactor)];
  }

  /** Nothing comes after them: what is hidden of them is a secret, or it is none. */
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

  /** @returns where texts are over now; a protocol with one session in each connection names none */
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
