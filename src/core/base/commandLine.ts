export interface SplitOptions {
  /** A backslash escapes the next character. Not on Windows, where it separates folders. */
  readonly backslashEscapes: boolean;
}

/** The program with its arguments, or the quote that has no end. */
export type SplitLine = { readonly words: readonly string[] } | { readonly unclosed: '"' | "'" };

/**
 * Splits a command line into its arguments: at white space, with 'single' and "double" quotes. Supports nothing else of a shell: no
 * variables, no patterns, no pipes. `string-argv` has neither the escapes nor the error.
 */
export function splitCommandLine(line: string, { backslashEscapes }: SplitOptions): SplitLine {
  const args: string[] = [];
  let current: string | undefined;
  let quote: '"' | "'" | undefined;
  for (let index = 0; index < line.length; index++) {
    const character = line.charAt(index);
    if (quote !== undefined && character === quote) {
      quote = undefined;
    } else if (isEscape(line, index, quote, backslashEscapes)) {
      index += 1;
      current = (current ?? '') + line.charAt(index);
    } else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
      current ??= '';
    } else if (quote === undefined && /\s/.test(character)) {
      if (current !== undefined) args.push(current);
      current = undefined;
    } else {
      current = (current ?? '') + character;
    }
  }
  if (current !== undefined) args.push(current);
  return quote === undefined ? { words: args } : { unclosed: quote };
}

/** In double quotes, a backslash only escapes a quote or a backslash; in single quotes, nothing. */
function isEscape(line: string, index: number, quote: '"' | "'" | undefined, backslashEscapes: boolean): boolean {
  if (line.charAt(index) !== '\\' || index + 1 >= line.length) return false;
  const next = line.charAt(index + 1);
  if (quote === "'") return false;
  if (quote === '"') return next === '"' || (backslashEscapes && next === '\\');
  return backslashEscapes;
}
