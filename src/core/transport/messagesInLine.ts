/** Finds messages on a line that is not JSON as a whole, because something else was written to the same line. */

export interface FoundInLine {
  readonly values: readonly { readonly value: unknown; readonly bytes: number }[];
  /** Everything around the messages that users could read; empty if there is nothing but terminal codes. */
  readonly rest: string;
}

/** Codes with brackets that are none of the text. JSON cannot contain their first character. */
const escapes = /\u001B(?:\][^\u0007\u001B{]*|\[[0-?]*[ -/]*[@-z|}~]?)/g;

/** Terminal titles and other strings, codes such as colors, and control characters including a byte order mark. */
const unseen =
  /(?:\u001B[\]PX^_]|[\u0090\u0098\u009D-\u009F])[^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)?|(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]?|\u001B[ -/]*[0-~]?|[\u0000-\u001F\u007F-\u009F\uFEFF\uFFFD]/g;

/** How often the whole line may be searched, because noise may open brackets that it never closes. */
const searches = 4;
const searchedChars = 20_000;

/**
 * A message is an object that is inside of nothing else: what a log line quotes in an object or a list of its own is none.
 * @param isMessage tells messages from other objects, such as those in log lines
 */
export function messagesInLine(written: string, isMessage: (value: unknown) => boolean): FoundInLine {
  const line = written.replaceAll(escapes, '');
  const values: FoundInLine['values'][number][] = [];
  let rest = '';
  let kept = 0;
  let budget = searches * line.length + searchedChars;
  for (let start = nextOpening(line, 0); start !== -1 && budget > 0; ) {
    const { end, quoted } = closing(line, start);
    budget -= (end ?? line.length) - start;
    const value = end === undefined ? undefined : parsed(line.slice(start, end));
    if (end !== undefined && value !== undefined && isMessage(value)) {
      values.push({ value, bytes: Buffer.byteLength(line.slice(start, end)) });
      rest += line.slice(kept, start);
      kept = end;
    }
    const next = value !== undefined ? end : end === undefined ? start + 1 : (quoted ?? end);
    start = nextOpening(line, next ?? line.length);
  }
  return { values, rest: (rest + line.slice(kept)).replaceAll(unseen, '').trim() };
}

function nextOpening(line: string, from: number): number {
  for (let at = from; at < line.length; at++) if (line[at] === '{' || line[at] === '[') return at;
  return -1;
}

/**
 * @returns the position after the bracket that closes the one at `start`, and the first brace that seems to be in a string: if what is
 * between the brackets is no JSON, a quotation mark without its counterpart may be the reason
 */
function closing(line: string, start: number): { readonly end?: number; readonly quoted?: number } {
  let depth = 0;
  let inString = false;
  let quoted: number | undefined;
  for (let at = start; at < line.length; at++) {
    const char = line[at];
    if (char === '"') inString = !inString;
    else if (inString) {
      if (char === '\\') at++;
      else if (char === '{') quoted ??= at;
    } else if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth === 0) return { end: at + 1, ...(quoted !== undefined && { quoted }) };
  }
  return {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
