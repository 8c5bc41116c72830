/**
 * Knows what was appended to a text without comparing texts. Comparing an answer of several megabytes with its previous version for every
 * frame is what makes long answers slow. Only the process that appended the text knows, and only for the latest pieces; for anything older,
 * callers compare the texts.
 */

/** Enough for a caller that looks once per frame. The pieces are part of the text as well. */
const piecesKept = 512;

/** The pieces that were appended to one text. */
interface Stem {
  pieces: string[];
  /** The number of pieces that are no longer in `pieces`. */
  dropped: number;
}

interface Place {
  readonly stem: Stem;
  /** The number of pieces that the text consists of. */
  readonly end: number;
}

const places = new WeakMap<object, Place>();

/** Records that the text of `after` is the text of `before` followed by `added`. */
export function noteGrowth(before: object, after: object, added: string): void {
  const known = places.get(before);
  // Two texts may grow from the same one; only the first continues its stem.
  const grows = known !== undefined && known.end === known.stem.dropped + known.stem.pieces.length;
  const place = grows ? known : { stem: { pieces: [], dropped: 0 }, end: 0 };
  if (!grows) places.set(before, place);
  const { stem } = place;
  stem.pieces.push(added);
  const spare = stem.pieces.length - piecesKept;
  if (spare > piecesKept) {
    stem.pieces = stem.pieces.slice(spare);
    stem.dropped += spare;
  }
  places.set(after, { stem, end: place.end + 1 });
}

/** Records that `view` shows the text of `shown`. */
export function sharesText(view: object, shown: object): void {
  const place = places.get(shown);
  if (place !== undefined) places.set(view, place);
}

/** Returns what was appended to the text of `before` to get the text of `after`, or undefined if that is unknown. */
export function growthSince(before: object, after: object): string | undefined {
  const [old, grown] = [places.get(before), places.get(after)];
  if (old === undefined || grown === undefined || old.stem !== grown.stem || old.end > grown.end) return undefined;
  const { pieces, dropped } = grown.stem;
  return old.end < dropped ? undefined : pieces.slice(old.end - dropped, grown.end - dropped).join('');
}
