/** Character references ("&lt;"), which marked leaves to the browser. */
const reference = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z][a-zA-Z\d]{1,31});/g;
const known = new Map<string, string>();

export function decodeReferences(text: string): string {
  return text.includes('&') ? text.replace(reference, decodeReference) : text;
}

/** The browser knows all 2,231 names. The document is inert, and a reference alone cannot be markup. */
function decodeReference(whole: string): string {
  let character = known.get(whole);
  if (character === undefined) {
    character = new DOMParser().parseFromString(`<p>${whole}`, 'text/html').body.textContent;
    known.set(whole, character);
  }
  return character;
}
