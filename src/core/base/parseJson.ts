/** @returns undefined for what is no JSON, which no JSON value is */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
