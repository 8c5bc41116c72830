/**
 * Parses Markdown in bounded time. Some of marked's rules search to the end of the text for each delimiter, and recurse for each level of
 * nesting: artificial text blocks the page for seconds or overflows the stack. Such text is shown unparsed.
 */
import type { Lexer, Links, Token } from 'marked';
import { createLexer } from './inlineRules.js';

/**
 * The limit for the delimiters times the characters of a paragraph, which takes a few milliseconds. Ten pages of prose with a link in each
 * line stay below it.
 */
const mostWork = 4_000_000;
const delimiters = /[*_~`[\]<!]/g;

/** Matches a line with more than 32 markers of quotes and lists, or a list that is indented that far. */
const deepLine = /^(?:(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){33}|[ \t]{64,}(?:[-*+]|\d{1,9}[.)])[ \t])/m;

/** @returns the position of the first line that is nested too deeply to parse; -1 if there is none */
export function findDeepLine(source: string): number {
  return source.search(deepLine);
}

/** Returns a token for a block that is shown unparsed. */
export function plainBlock(raw: string): Token {
  return { type: 'html', raw, text: raw, pre: false, block: true };
}

/** Parses blocks only; their texts wait in the lexer for `lexInline`. Nothing in `source` may be nested too deeply. */
export function lexBlocks(source: string, links: Links): { readonly lexer: Lexer; readonly tokens: Token[] } {
  const lexer = createLexer();
  // Uses a copy, because parsing ahead must not leave half a definition behind.
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
