/**
 * Parses Markdown in bounded time. Some of marked's rules search to the end of the text for each delimiter, and recurse for each level of
 * nesting: artificial text blocks the page for seconds or overflows the stack. Such text is shown unparsed.
 */
import { Lexer, type Links, type Token, Tokenizer, type Tokens } from 'marked';

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
  const lexer = createLexer(source);
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

// Where the page reads a line in another way than marked 18.2: a single tilde is a sign, bold also works next to Chinese, Japanese and
// Korean, and `$x_1$` is a formula.

const { gfm } = Lexer.rules.inline;
const rules = { ...gfm, delLDelim: doubled(gfm.delLDelim), delRDelim: doubled(gfm.delRDelim) };

/** Returns the rule for two tildes only. */
function doubled({ source, flags }: RegExp): RegExp {
  return new RegExp(source.replaceAll('~~?', '~~'), flags);
}

/** Matches every text with a letter or punctuation mark of those scripts, and some others, such as those with emoji. */
const mayBeCjk = /[\u02ea\u02eb\u1100-\u1fff\u2e80-\uffff]/;
/** Built for the first such text: that takes 5 ms, and matching these rules takes twice the time of those of marked. */
let cjkRules: ReturnType<typeof createCjkRules> | undefined;

/**
 * The rules of marked for bold and italics take what is next to a punctuation mark for an outer end only if a space or another mark follows,
 * but these scripts have no spaces between words (https://github.com/tats-u/markdown-cjk-friendly).
 */
function createCjkRules() {
  const cjk =
    '[\\p{sc=Han}\\p{sc=Hangul}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Bopomofo}\\u2e80-\\u2fff\\u3001-\\u33ff\\ufe30-\\ufe4f\\uff00-\\uffef]';
  const mark = `(?!~|${cjk})[\\p{P}\\p{S}]`;
  const letter = `(?:[^\\s\\p{P}\\p{S}]|~|${cjk})`;
  // As `emStrongLDelim` and `emStrongRDelimAst` of marked, except for the classes of characters.
  const opening = new RegExp(`^(?:\\*+(?:((?!\\*)${mark})|([^\\s*]))?)|^_+(?:((?!_)(?!~)[\\p{P}\\p{S}])|([^\\s_]))?`, 'u');
  const closing = new RegExp(
    [
      '^[^_*]*?__[^_*]*?\\*[^_*]*?(?=__)',
      '[^*]+(?=[^*])',
      `(?!\\*)${mark}(\\*+)(?=\\s|$)`,
      `(?:${cjk}(?!\\*+(?!\\*)${mark})|(?!${cjk})${letter})(\\*+)(?!\\*)(?=\\s|$|${mark})`,
      `(?:\\s|(?!\\*)${mark}(?!\\*+${cjk}))(\\*+)(?=${letter})`,
      `\\s(\\*+)(?!\\*)(?=${mark})`,
      `(?:(?!\\*)${mark}|${cjk})(\\*+)(?!\\*)(?=${mark}|${cjk})`,
      `${letter}(\\*+)(?=${letter})`,
    ].join('|'),
    'gu',
  );
  return {
    inline: { ...rules, emStrongLDelim: opening, emStrongRDelimAst: closing },
    lastIsCjk: new RegExp(`${cjk}$`, 'u'),
    starsBeforeMark: new RegExp(`^\\*+(?!\\*)${mark}`, 'u'),
  };
}

class PageTokenizer extends Tokenizer {
  override lheading(source: string): Tokens.Heading | undefined {
    return super.lheading(source.slice(0, formulaAt(source)));
  }

  override emStrong(source: string, masked: string, before = ''): Tokens.Em | Tokens.Strong | undefined {
    // Matches no text without these scripts.
    const begins = cjkRules?.lastIsCjk.test(before) === true && cjkRules.starsBeforeMark.test(source);
    return super.emStrong(source, masked, begins ? '' : before);
  }
}

/** Returns a lexer for GFM with these rules. */
function createLexer(source: string): Lexer {
  const cjk = mayBeCjk.test(source) ? (cjkRules ??= createCjkRules()) : undefined;
  const tokenizer = new PageTokenizer();
  const lexer = new Lexer({ gfm: true, tokenizer, extensions });
  // The lexer has set them just now.
  tokenizer.rules = { ...tokenizer.rules, inline: cjk?.inline ?? rules };
  return lexer;
}

/**
 * A formula inside a line, `$x_1$`, `$$x_1$$`, `\(x_1\)` or `\[y = x_1\]`. It is shown as it was written, because its characters have a
 * different meaning in Markdown.
 */
const formula = /^(?:(\$\$?)(?=[^\s\d]|[^\s$]+\$)([^$\n]*[^\s$])\1|\\\(([^\n]{1,500}?)\\\)|\\\[([^\n]{1,500}?)\\\])/;
/** What begins, ends and follows the names of variables, amounts of money, patterns and paths, and no formula. */
const noFormula = {
  path: /^\s*(?:[a-z]:|\.\.?|\\)\\/i,
  start: /^[@#!?.,;:*"'%&=/)\]}~>]/,
  end: /[,;:([{/=&\\]$/,
  next: /^[\w$@#{(/\\^%&+=<]/,
};

/** Matches a line that begins a formula on lines of its own. */
export const formulaStart = /^[ \t]*(?:\$\$|\\\[|\\begin\{)/m;
const formulaText = String.raw`(?:(?!\$\$|\\\]|\n[ \t]*(?:\n|\\\[))[^]){1,2000}?`;
/** Such a formula, whose lines would otherwise be lists or headings. Like a paragraph, it has no blank line. */
const formulaLines = String.raw`[ \t]*(?:\$\$(${formulaText})\$\$|\\\[(${formulaText})\\\]|(\\begin\{(\w+\*?)\}${formulaText}\\end\{\4\}))[ \t]*(?:\n|$)`;
const formulaBlock = new RegExp(`^${formulaLines}`);
const formulaNext = new RegExp(`\\n(?=${formulaLines})`);

/** Returns where the next formula is, which ends a paragraph. Looks no further than people write without a blank line. */
function formulaAt(source: string): number | undefined {
  const text = source.slice(0, 4_000);
  return (formulaStart.test(text) && text.search(formulaNext) + 1) || undefined;
}

const extensions = {
  renderers: {},
  childTokens: {},
  startBlock: [formulaAt],
  block: [
    (source: string): Token | undefined => {
      const match = formulaBlock.exec(source);
      if (match === null) return undefined;
      const [raw, dollars, brackets = dollars, text = brackets] = match;
      return text === undefined || noFormula.path.test(text) ? undefined : { type: 'code', raw, lang: 'math', text: text.trim() };
    },
  ],
  startInline: [(source: string) => source.search(/(?<!\w)\$|\\[([]/)],
  inline: [
    (source: string): Token | undefined => {
      const match = formula.exec(source);
      if (match === null) return undefined;
      const [raw, , dollars, text = dollars, display = text] = match;
      // Brackets are also escaped because they would begin a link.
      if (display === undefined || noFormula.path.test(display)) return undefined;
      if (text === undefined && !/\\[a-z]|[_^].*[\s=]|[\s=].*[_^]/i.test(display)) return undefined;
      if (dollars !== undefined && noFormula.next.test(source.slice(raw.length))) return undefined;
      // What is in parentheses always is one.
      if (text === dollars && !isFormula(display.trim())) return undefined;
      return { type: 'codespan', raw, text: display };
    },
  ],
};

function isFormula(text: string): boolean {
  if (noFormula.start.test(text) || noFormula.end.test(text) || /["`]/.test(text)) return false;
  if ((text.match(/\(/g)?.length ?? 0) !== (text.match(/\)/g)?.length ?? 0)) return false;
  // Outside of TeX, spaces are around operators. Between words, this is a sentence.
  return /[\\^]/.test(text) || !/\s/.test(text.replace(/\s*[-+*/=<>,;:|()[\]±×÷·≤≥≠≈∈→]\s*/g, ''));
}
