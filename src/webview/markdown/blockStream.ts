/**
 * Markdown that arrives in pieces. Blocks that no later text can change are handed out once and never looked at again; only the
 * open block at the end is lexed anew. A fenced code block is handed out as raw text line by line, without any lexing.
 * Pure: no DOM. Equals a one-shot `marked` of the whole text, whatever the pieces, as long as no block is longer or deeper than anybody writes.
 */
import type { Links, Token, Tokens } from 'marked';
import { blocksOf } from './blocksOf.js';
import { emptyLinks, findDeepLine, lex, lexBlocks, lexInline, plainBlock } from './boundedLexer.js';
import { FenceReader, openFence } from './fence.js';

export type BlockEvent =
  | { readonly type: 'block'; readonly token: Token }
  | { readonly type: 'codeOpen'; readonly language: string }
  | { readonly type: 'codeText'; readonly text: string }
  | { readonly type: 'codeClose' };

export interface BlockUpdate {
  /** What was handed out before does not hold: a link definition came after its use. `events` has everything. Only at the end. */
  readonly reset: boolean;
  readonly events: readonly BlockEvent[];
  /** The open end as it stands; replaces the tail of the update before. */
  readonly tail: readonly Token[];
}

/** A block that is open for longer than this is handed out as far as it has come, for it is lexed and drawn anew at each step. */
const longestOpenBlock = 16_384;
const longestHead = 2_048;
/** Above it, a late definition is not worth drawing everything again. */
const longestRedrawn = 512 * 1024;

export class BlockStream {
  #source = '';
  /** Not handed out yet. Starts at a block's first line. */
  #pending = '';
  /** `#pending` up to here has no block to hand out. */
  #checked = 0;
  #fence: FenceReader | undefined;
  #links: Links = emptyLinks();
  #usesReferences = false;
  #definedLate = false;
  #heldReturn = false;

  append(text: string): void {
    const whole = (this.#heldReturn ? '\r' : '') + text;
    this.#heldReturn = whole.endsWith('\r');
    this.#add((this.#heldReturn ? whole.slice(0, -1) : whole).replace(/\r\n|\r/g, '\n'));
  }

  flush(): BlockUpdate {
    const events: BlockEvent[] = [];
    this.#handOut(events, false);
    return { reset: false, events, tail: this.#fence === undefined ? this.#lexTail() : [] };
  }

  /** No more text comes: hands out the rest. */
  end(): BlockUpdate {
    if (this.#heldReturn) this.#add('\n');
    this.#heldReturn = false;
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
      events: blocksOf(lex(this.#source, emptyLinks()), this.#links).map((token) => ({ type: 'block', token })),
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
   * Decided on complete lines only: half a line may still join the block before it ("```js" or "```js` inline").
   * On complete lines a block is closed as soon as another one follows.
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
    if (last <= 0) return;
    const closed = lengthOf(tokens.slice(0, last));
    // Raws that do not add up say nothing about where a block ends. And a single line may still turn out to be the head of a table.
    if (closed + lengthOf(tokens.slice(last)) !== complete || !/\n./s.test(this.#pending.slice(closed, complete))) return;
    lexInline(lexer);
    this.#emit(events, tokens.slice(0, last), closed);
    this.#checked = complete - closed;
  }

  /** What is nested too deeply is shown as it is, up to the next blank line. */
  #handOutDeep(events: BlockEvent[], deep: number, complete: number): void {
    const end = this.#pending.indexOf('\n\n', deep);
    if (end === -1 || end + 2 > complete) return;
    this.#emit(events, [plainBlock(this.#pending.slice(0, end))], end + 2);
    this.#checked = 0;
  }

  /** Hands out most of the open block; what is left begins a block of the same kind, as far as that can be. */
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

  /** @param length of the tokens in `#pending` */
  #emit(events: BlockEvent[], tokens: readonly Token[], length: number): void {
    for (const token of blocksOf(tokens, this.#links)) events.push({ type: 'block', token });
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
    return blocksOf(lex(this.#pending, this.#links), this.#links);
  }
}

/** Of the last entry of a list or a table, which may go on. 0: it is none, or nothing is left without it. */
function lastEntryLength(token: Token | undefined, end: number): number {
  const length = token?.type === 'list' ? lastItem(token as Tokens.List) : token?.type === 'table' ? lastRow(token.raw) : 0;
  return length < end ? length : 0;
}

function lastItem({ items }: Tokens.List): number {
  return items.length < 2 ? 0 : (items.at(-1)?.raw.length ?? 0);
}

function lastRow(raw: string): number {
  const start = raw.trimEnd().lastIndexOf('\n') + 1;
  // A head that long is no head.
  return headOfTable(raw).length < start && headOfTable(raw).length < longestHead ? raw.length - start : 0;
}

/** The rest of a table is a table with the same head. */
function headOfTable(raw: string): string {
  const [head = '', rule = ''] = raw.split('\n', 2);
  return `${head}\n${rule}\n`;
}

function lengthOf(tokens: readonly Token[]): number {
  return tokens.reduce((sum, token) => sum + token.raw.length, 0);
}

/** Link definitions, also those inside lists and quotes. */
function* definitions(tokens: readonly Token[]): Generator<Tokens.Def> {
  for (const token of tokens) {
    if (token.type === 'def') yield token as Tokens.Def;
    else if (token.type === 'blockquote') yield* definitions(token.tokens ?? []);
    else if (token.type === 'list') for (const item of (token as Tokens.List).items) yield* definitions(item.tokens);
  }
}
