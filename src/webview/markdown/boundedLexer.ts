/**
 * Lexing in bounded time. Some of marked's rules look ahead to the end of a text for each delimiter, and recurse for each level of nesting: text
 * that nobody writes stops the page for seconds, or overflows its stack. Such text is shown as it is.
 */
import { Lexer, type Links, type Token } from 'marked';

/** Delimiters times characters of one paragraph: a few milliseconds. Ten pages of prose with a link in each line stay below. */
const mostWork = 4_000_000;
const delimiters = /[*_~`[\]<!]/g;

/** A line with more than 32 markers of quotes and lists, or a list that is indented that far. */
const deepLine = /^(?:(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){33}|[ \t]{64,}(?:[-*+]|\d{1,9}[.)])[ \t])/m;

/** @returns the first line that is nested too deeply to be lexed; -1: none */
export function findDeepLine(source: string): number {
  return source.search(deepLine);
}

/** A block that is shown as it is. */
export function plainBlock(raw: string): Token {
  return { type: 'html', raw, text: raw, pre: false, block: true };
}

/**
 * A formula in a line, `$x_1$` or `\(x_1\)`: as it was written, for its signs mean something else in markdown. An amount of money or a variable
 * of a shell has a space or a word where the formula would end.
 */
const formula = /^(?:\$(?=[^\s\d]|[^\s$]+\$)([^$\n]*[^\s$])\$(?![\w$])|\\\(([^\n]{1,500}?)\\\))/;
const options = {
  gfm: true,
  extensions: {
    renderers: {},
    childTokens: {},
    startInline: [(source: string) => source.search(/(?<!\w)\$|\\\(/)],
    inline: [
      (source: string): Token | undefined => {
        const match = formula.exec(source);
        return match === null ? undefined : { type: 'codespan', raw: match[0], text: match[1] ?? match[2] ?? '' };
      },
    ],
  },
};

/** Blocks alone, whose texts wait in the lexer for `lexInline`. Nothing in `source` may be nested too deeply. */
export function lexBlocks(source: string, links: Links): { readonly lexer: Lexer; readonly tokens: Token[] } {
  const lexer = new Lexer(options);
  // A copy: lexing that looks ahead must not leave half a definition behind.
  lexer.tokens.links = Object.assign(emptyLinks(), links);
  return { lexer, tokens: lexer.blockTokens(source, []) };
}

export function lexInline(lexer: Lexer): void {
  for (const { src, tokens } of lexer.inlineQueue.splice(0)) {
    const found = src.length < 2_000 ? 0 : (src.match(delimiters)?.length ?? 0);
    if (found * src.length > mostWork) tokens.push({ type: 'text', raw: src, text: src, escaped: false });
    else lexer.inlineTokens(src, tokens);
  }
}

export function lex(source: string, links: Links): Token[] {
  if (findDeepLine(source) !== -1) return [plainBlock(source)];
  const { lexer, tokens } = lexBlocks(source, links);
  lexInline(lexer);
  return tokens;
}

export function emptyLinks(): Links {
  return Object.create(null) as Links;
}
