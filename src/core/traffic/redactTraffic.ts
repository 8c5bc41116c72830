/** Takes the secrets out of traffic, also those that an agent streams in pieces: no frame alone holds one. */
import type { Redactor } from '../base/redact.js';
import type { FrameDescriber, StreamedPiece } from './frameDescriber.js';
import { redactTraffic, type TrafficEntry } from './trafficEntry.js';

/** What belongs together is told by this much of the text before. */
const contextChars = 4_096;

interface Piece extends Omit<StreamedPiece, 'withText'> {
  withText(text: string): TrafficEntry;
}

/** Lines of stderr are pieces as well: a key may have many lines. */
function pieceOf(entry: TrafficEntry, describer: FrameDescriber): Piece | undefined {
  if (entry.kind === 'stderr')
    return { stream: 'stderr', text: `${entry.text}\n`, withText: (text) => ({ ...entry, text: text.replace(/\n$/, '') }) };
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

/**
 * The same for entries that are shown one by one as they come: the end of a piece that may begin a secret is shown with the next piece of its stream.
 * The end of the last piece may be missing.
 */
export class LiveRedaction {
  readonly #describer: FrameDescriber;
  readonly #redactor: Redactor;
  /** `context` was shown already, `hidden` was not. */
  readonly #streams = new Map<string, { readonly context: string; readonly hidden: string }>();

  constructor(describer: FrameDescriber, redactor: Redactor) {
    this.#describer = describer;
    this.#redactor = redactor;
  }

  redact(entry: TrafficEntry): TrafficEntry {
    const piece = pieceOf(entry, this.#describer);
    if (piece === undefined) return redactTraffic(entry, this.#redactor);
    const { context, hidden } = this.#streams.get(piece.stream) ?? { context: '', hidden: '' };
    const all = context + hidden + piece.text;
    const end = Math.max(context.length, this.#redactor.tailAt(all));
    const [, shown = ''] = this.#redactor.pieces([context, all.slice(context.length, end)]);
    this.#streams.set(piece.stream, { context: all.slice(Math.max(0, end - contextChars), end), hidden: all.slice(end) });
    return redactTraffic(piece.withText(shown), this.#redactor);
  }
}
