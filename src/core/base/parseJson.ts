/** @returns undefined for anything that is not JSON; no JSON text has that value */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const textOrComment = /"(?:[^"\\]|\\[^])*"?|\/\/[^\r\n]*|\/\*[^]*?(?:\*\/|$)/g;
const textOrLastComma = /"(?:[^"\\]|\\[^])*"?|,(?=\s*[}\]])/g;

/**
 * Accepts comments, trailing commas and a byte order mark, as editors do in their settings. By hand, because jsonc-parser can be loaded only
 * either by Node or by a bundler. Takes linear time.
 */
export function parseRelaxedJson(text: string): unknown {
  const plain = text.replace(/^\uFEFF/, '').replace(textOrComment, (found) => (found.startsWith('"') ? found : ' '));
  return parseJson(plain.replace(textOrLastComma, (found) => (found === ',' ? '' : found)));
}
