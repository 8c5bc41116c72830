import type { Links, Token } from 'marked';
import { lex } from './boundedLexer.js';

/** A formula on separate lines, with text of the same paragraph before or after it. */
const formulaLines = /(?:^|\n)[ \t]*(\$\$[^$]+\$\$|\\\[[\s\S]+?\\\])[ \t]*(?=\n|$)/;

/** Returns the tokens to draw: without blank lines, and with each formula as a separate paragraph. */
export function blocksOf(tokens: readonly Token[], links: Links): Token[] {
  return tokens.flatMap((token) => (token.type === 'space' ? [] : withFormulas(token, links)));
}

function withFormulas(token: Token, links: Links): Token[] {
  if (token.type !== 'paragraph' || !/\$\$|\\\[/.test(token.raw)) return [token];
  const parts = token.raw.split(formulaLines);
  if (parts.filter((part) => part.trim() !== '').length < 2) return [token];
  return parts.flatMap((part, index): Token[] => {
    if (part.trim() === '') return [];
    if (index % 2 === 1) return [{ type: 'paragraph', raw: part, text: part, tokens: [] }];
    return lex(part, links).filter(({ type }) => type !== 'space');
  });
}
