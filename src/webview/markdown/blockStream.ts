/**
 * Parses Markdown that arrives in pieces. Blocks that no later text can change are emitted once and never parsed again; only the open block
 * at the end is parsed again. A fenced code block is emitted as raw text line by line, without parsing. Pure: no DOM. The result equals
 * that of `marked` for the whole text, whatever the pieces, as long as no block is unreasonably long or deep.
 */
import type { Links, Token, Tokens } from 'marked';
import { stripControls, stripPiece } from '../../core/base/terminalCodes.js';
import { emptyLinks, findDeepLine, formulaStart, lex, lexBlocks, lexInline, plainBlock } from './boundedLexer.js';

export type BlockEvent =
  | { readonly type: 'block'; readonly token: Token }
  | { readonly type: 'codeOpen'; readonly language: string }
  | { readonly type: 'codeText'; readonly text: string }
  | { readonly type: 'codeClose' };

export interface BlockUpdate {
  /** Earlier events are invalid, because a link definition followed its use. `events` contains everything. Happens only at the end. */
  readonly reset: boolean;
  readonly events: readonly BlockEvent[];
  /** The current open end; replaces the tail of the previous update. */
  readonly tail: readonly Token[];
}

/** A longer open block is emitted as far as it has arrived, because it is parsed and drawn again at each step. */
const longestOpenBlock = 16_384;
const longestHead = 2_048;
/** For a longer text, a late definition is not worth drawing everything again. */
const longestRedrawn = 512 * 1024;

export class BlockStream {
  #source = '';
  /** Not emitted yet. Starts with the first line of a block. */
  #pending = '';
  /** Up to here, `#pending` has no block to emit. */
  #checked = 0;
  #fence: FenceReader | undefined;
  #links: Links = emptyLinks();
  #usesReferences = false;
  #definedLate = false;
  #heldReturn = false;
  /** The beginning of a sequence that controls terminals. */
  #heldCodes = '';

  append(text: string): void {
    const whole = (this.#heldReturn ? '\r' : '') + text;
    this.#heldReturn = whole.endsWith('\r');
    const piece = stripPiece(this.#heldCodes + (this.#heldReturn ? whole.slice(0, -1) : whole).replace(/\r\n|\r/g, '\n'));
    this.#heldCodes = piece.held;
    this.#add(piece.text);
  }

  flush(): BlockUpdate {
    const events: BlockEvent[] = [];
    this.#handOut(events, false);
    return { reset: false, events, tail: this.#fence === undefined ? this.#lexTail() : [] };
  }

  /** Call this when no more text follows; emits the rest. */
  end(): BlockUpdate {
    this.#add(stripControls(this.#heldCodes) + (this.#heldReturn ? '\n' : ''));
    this.#heldReturn = false;
    this.#heldCodes = '';
    const events: BlockEvent[] = [];
    this.#handOut(events, true);
    const tail = this.#lexTail();
    for (const token of tail) events.push({ type: 'block', token });
    this.#noteReferences(tail, '');
    this.#pending = '';
    const redraws = this.#definedLate && this.#source.length <= longestRedrawn && findDeepLine(this.#source) === -1;
    if (!redraws) return { reset: false, events, tail: [] };
    return {
      reset: true,
      events: blocksOf(lex(this.#source, emptyLinks())).map((token) => ({ type: 'block', token })),
      tail: [],
    };
  }

  #add(text: string): void {
    this.#source += text;
    this.#pending += text;
  }

  #handOut(events: BlockEvent[], atEnd: boolean): void {
    for (;;) {
      if (this.#fence !== undefined) {
        this.#pending = this.#fence.read(this.#pending, atEnd, (text) => events.push({ type: 'codeText', text }));
        if (!this.#fence.closed) return;
        events.push({ type: 'codeClose' });
        this.#fence = undefined;
        this.#checked = 0;
      }
      for (let before = -1; before !== this.#pending.length; ) {
        before = this.#pending.length;
        this.#handOutBlocks(events);
        if (this.#pending.length > longestOpenBlock && openFence(this.#pending) === undefined) this.#split(events);
      }
      const opening = openFence(this.#pending);
      if (opening === undefined) return;
      events.push({ type: 'codeOpen', language: opening.language });
      this.#fence = new FenceReader(opening);
      this.#pending = this.#pending.slice(opening.length);
    }
  }

  /**
   * Decides on complete lines only, because an incomplete line may still join the block before it ("```js" or "```js` inline"). On complete
   * lines, a block is closed as soon as another one follows.
   */
  #handOutBlocks(events: BlockEvent[]): void {
    const complete = this.#pending.lastIndexOf('\n') + 1;
    if (complete <= this.#checked) return;
    this.#checked = complete;
    const deep = findDeepLine(this.#pending.slice(0, complete));
    if (deep !== -1) return this.#handOutDeep(events, deep, complete);
    const { lexer, tokens } = lexBlocks(this.#pending.slice(0, complete), this.#links);
    let last = tokens.length - 1;
    while (last > 0 && tokens[last]?.type === 'space') last--;
    // Until a blank line, what follows may be part of a formula.
    for (let at = tokens.length - 1; at >= 0 && !/\n[ \t]*\n/.test(tokens[at]?.raw ?? ''); at--)
      if (formulaStart.test(tokens[at]?.raw ?? '')) last = at;
    if (last <= 0) return;
    const closed = lengthOf(tokens.slice(0, last));
    // If the raw texts don't add up, they don't show where a block ends. A single line may still turn out to be the header of a table.
    if (closed + lengthOf(tokens.slice(last)) !== complete || !/\n./s.test(this.#pending.slice(closed, complete))) return;
    lexInline(lexer);
    this.#emit(events, tokens.slice(0, last), closed);
    this.#checked = complete - closed;
  }

  /** Emits text that is nested too deeply unparsed, up to the next blank line. */
  #handOutDeep(events: BlockEvent[], deep: number, complete: number): void {
    const end = this.#pending.indexOf('\n\n', deep);
    if (end === -1 || end + 2 > complete) return;
    this.#emit(events, [plainBlock(this.#pending.slice(0, end))], end + 2);
    this.#checked = 0;
  }

  /** Emits most of the open block; if possible, the rest begins a block of the same kind. */
  #split(events: BlockEvent[]): void {
    const complete = this.#pending.lastIndexOf('\n') + 1;
    const space = this.#pending.lastIndexOf(' ', longestOpenBlock) + 1;
    const end = complete > 0 ? complete : space > 0 ? space : longestOpenBlock;
    const source = this.#pending.slice(0, end);
    const last = findDeepLine(source) === -1 ? lexBlocks(source, this.#links).tokens.at(-1) : undefined;
    const cut = end - lastEntryLength(last, end);
    this.#emit(events, lex(source.slice(0, cut), this.#links), cut);
    if (last?.type === 'table' && cut < end) this.#pending = headOfTable(last.raw) + this.#pending;
    this.#checked = 0;
  }

  /** @param length the length of the tokens in `#pending` */
  #emit(events: BlockEvent[], tokens: readonly Token[], length: number): void {
    for (const token of blocksOf(tokens)) events.push({ type: 'block', token });
    this.#noteReferences(tokens, this.#pending.slice(0, length));
    this.#pending = this.#pending.slice(length);
  }

  #noteReferences(tokens: readonly Token[], source: string): void {
    for (const definition of definitions(tokens)) {
      this.#links[definition.tag] ??= { href: definition.href, title: definition.title };
      this.#definedLate ||= this.#usesReferences;
    }
    this.#usesReferences ||= source.includes('[');
  }

  #lexTail(): Token[] {
    return blocksOf(lex(this.#pending, this.#links));
  }
}

/**
 * Returns the length of the last entry of a list or a table, which may continue; 0 for any other block, and if nothing would be left
 * without the entry.
 */
function lastEntryLength(token: Token | undefined, end: number): number {
  const length = token?.type === 'list' ? lastItem(token as Tokens.List) : token?.type === 'table' ? lastRow(token.raw) : 0;
  return length < end ? length : 0;
}

function lastItem({ items }: Tokens.List): number {
  return items.length < 2 ? 0 : (items.at(-1)?.raw.length ?? 0);
}

function lastRow(raw: string): number {
  const start = raw.trimEnd().lastIndexOf('\n') + 1;
  // A longer header is not a real one.
  return headOfTable(raw).length < start && headOfTable(raw).length < longestHead ? raw.length - start : 0;
}

/** Returns the header, with which the rest of a table is a table again. */
function headOfTable(raw: string): string {
  const [head = '', rule = ''] = raw.split('\n', 2);
  return `${head}\n${rule}\n`;
}

/** Returns the tokens to draw: without blank lines. */
function blocksOf(tokens: readonly Token[]): Token[] {
  return tokens.filter(({ type }) => type !== 'space');
}

function lengthOf(tokens: readonly Token[]): number {
  return tokens.reduce((sum, token) => sum + token.raw.length, 0);
}

/** Yields link definitions, including those inside lists and quotes. */
function* definitions(tokens: readonly Token[]): Generator<Tokens.Def> {
  for (const token of tokens) {
    if (token.type === 'def') yield token as Tokens.Def;
    else if (token.type === 'blockquote') yield* definitions(token.tokens ?? []);
    else if (token.type === 'list') for (const item of (token as Tokens.List).items) yield* definitions(item.tokens);
  }
}

/** Reads a fenced code block line by line. Follows `fences` and `indentCodeCompensation` of marked 18.2. */

interface FenceOpening {
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
function openFence(source: string): FenceOpening | undefined {
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

class FenceReader {
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
