/** Half of a character that needs two UTF-16 units: no text for a program that expects Unicode. */
const half = /\p{Surrogate}/gu;
const replacement = '\uFFFD';

/** Replaces halves of characters. */
export function wellFormed(text: string): string {
  return text.replace(half, replacement);
}

/** Replaces halves of characters in JSON, where `JSON.stringify` writes them as escapes that other parsers refuse. */
export function wellFormedJson(json: string): string {
  if (!json.includes('\\ud')) return json;
  return json.replace(/\\(?:(ud[89a-f][0-9a-f]{2})|.)/g, (escape, isHalf: string | undefined) =>
    isHalf === undefined ? escape : replacement,
  );
}

/** Whether the rest of the last character may follow. */
export function endsInHalf(text: string): boolean {
  return /[\uD800-\uDBFF]$/.test(text);
}
