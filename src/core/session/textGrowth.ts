/**
 * By what a text has grown, without looking at the text: comparing an answer of megabytes with itself, once per frame, is what makes a long one
 * slow. Known in the process that made it grow, and only for what came last; whoever asks for more compares the texts.
 */

/** Enough for whoever looks once per frame; the pieces are in the text as well. */
const piecesKept = 512;

/** The pieces of one text, as long as it grows. */
interface Stem {
  pieces: string[];
  /** How many pieces are not in `pieces` any more. */
  dropped: number;
}

interface Place {
  readonly stem: Stem;
  /** The number of pieces that the text has. */
  readonly end: number;
}

const places = new WeakMap<object, Place>();

/** Says that the text of `after` is that of `before` with `added` at its end. */
export function noteGrowth(before: object, after: object, added: string): void {
  const known = places.get(before);
  // Two may grow from the same one; only the first goes on with its stem.
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

/** Says that `view` shows the text of `shown`. */
export function sharesText(view: object, shown: object): void {
  const place = places.get(shown);
  if (place !== undefined) places.set(view, place);
}

/** What the text of `after` has more than that of `before`. @returns undefined where that is not known */
export function growthSince(before: object, after: object): string | undefined {
  const [old, grown] = [places.get(before), places.get(after)];
  if (old === undefined || grown === undefined || old.stem !== grown.stem || old.end > grown.end) return undefined;
  const { pieces, dropped } = grown.stem;
  return old.end < dropped ? undefined : pieces.slice(old.end - dropped, grown.end - dropped).join('');
}
