/** Finds the part of a text that has to be replaced. Pure. */

export interface ChangedRange {
  /** In UTF-16 code units of the earlier text. */
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly text: string;
}

/** @returns the only part that differs; undefined if the texts are equal. Line breaks and pairs of surrogates stay whole. */
export function changedRange(before: string, after: string): ChangedRange | undefined {
  if (before === after) return undefined;
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  if (isInside(before, start) || isInside(after, start)) start--;
  let same = 0;
  while (same < most - start && before.charCodeAt(before.length - same - 1) === after.charCodeAt(after.length - same - 1)) same++;
  if (isInside(before, before.length - same) || isInside(after, after.length - same)) same--;
  return { start, end: before.length - same, text: after.slice(start, after.length - same) };
}

/** Whether the two code units around a position belong together. */
function isInside(text: string, at: number): boolean {
  return /^(?:\r\n|[\ud800-\udbff][\udc00-\udfff])$/.test(text.slice(Math.max(0, at - 1), at + 1));
}

/** Returns the text with these line endings only. */
export function inLineEndings(text: string, ending: '\n' | '\r\n'): string {
  return text.replaceAll(/\r\n|\r|\n/g, ending);
}
