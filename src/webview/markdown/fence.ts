/** Reads a fenced code block line by line. Follows `fences` and `indentCodeCompensation` of marked 18.2. */

export interface FenceOpening {
  /** The number of characters up to the end of the opening line. */
  readonly length: number;
  readonly language: string;
  /** The backquotes or tildes. */
  readonly marker: string;
  /** The number of spaces before the marker, which are removed from each line. */
  readonly indent: number;
}

const opening = /^(?:[ \t]*\n)*( {0,3})(`{3,}(?=[^`\n]*\n)|~{3,})([^\n]*)\n/;
const escapedPunctuation = /\\([!"#$%&'()*+,\-./:;<=>?@[\]\\^_`{|}~])/g;

/** Returns undefined unless `source` starts with a complete opening line, perhaps after blank lines. */
export function openFence(source: string): FenceOpening | undefined {
  const match = opening.exec(source);
  if (match === null) return undefined;
  const [whole, spaces = '', marker = '', info = ''] = match;
  return {
    length: whole.length,
    language: info.trim().replace(escapedPunctuation, '$1'),
    marker,
    indent: marker.startsWith('`') ? spaces.length : 0,
  };
}

export class FenceReader {
  readonly #indent: number;
  readonly #closing: RegExp;
  /** Matches an incomplete line that may become the closing one. */
  readonly #maybeClosing: RegExp;
  #firstLine = true;
  #midLine = false;
  closed = false;

  constructor({ marker, indent }: FenceOpening) {
    this.#indent = indent;
    this.#closing = new RegExp(`^ {0,3}${marker}[~\`]* *$`);
    this.#maybeClosing = /^ {0,3}[~`]* *$/;
  }

  /** Passes the code in `source` to `emit`, and returns the rest: what is held back, or what follows the closing line. */
  read(source: string, atEnd: boolean, emit: (text: string) => void): string {
    let code = '';
    let at = 0;
    while (!this.closed && at < source.length) {
      const lineEnd = source.indexOf('\n', at);
      const line = source.slice(at, lineEnd === -1 ? source.length : lineEnd);
      if (!this.#midLine) {
        if (lineEnd === -1 && !atEnd && this.#maybeClosing.test(line)) break;
        if (this.#closing.test(line)) this.closed = true;
        else code += (this.#firstLine ? '' : '\n') + this.#withoutIndent(line);
        this.#firstLine = false;
      } else {
        code += line;
      }
      this.#midLine = lineEnd === -1;
      at = lineEnd === -1 ? source.length : lineEnd + 1;
    }
    if (code !== '') emit(code);
    return source.slice(at);
  }

  #withoutIndent(line: string): string {
    if (this.#indent === 0) return line;
    const spaces = /^\s*/.exec(line)?.[0].length ?? 0;
    return line.slice(Math.min(spaces, this.#indent));
  }
}
