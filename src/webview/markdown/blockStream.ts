/**
 * Markdown that arrives in pieces. Blocks that no later text can change are handed out once and never looked at again; only the
 * open block at the end is lexed anew. A fenced code block is handed out as raw text line by line, without any lexing.
 * Pure: no DOM. Equals a one-shot `marked` of the whole text, whatever the pieces.
 */
import { Lexer, type Links, type Token, type Tokens } from 'marked';
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
    if (!this.#definedLate) return { reset: false, events, tail: [] };
    return { reset: true, events: blocks(new Lexer().lex(this.#source)).map((token) => ({ type: 'block', token })), tail: [] };
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
      this.#handOutBlocks(events);
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
    const lexer = lexerWith(this.#links);
    const tokens = lexer.blockTokens(this.#pending.slice(0, complete), []);
    let last = tokens.length - 1;
    while (last > 0 && tokens[last]?.type === 'space') last--;
    if (last <= 0) return;
    const closed = lengthOf(tokens.slice(0, last));
    // Raws that do not add up say nothing about where a block ends. And a single line may still turn out to be the head of a table.
    if (closed + lengthOf(tokens.slice(last)) !== complete || !/\n./s.test(this.#pending.slice(closed, complete))) return;
    for (const { src, tokens: inline } of lexer.inlineQueue) lexer.inlineTokens(src, inline);
    for (const token of blocks(tokens.slice(0, last))) events.push({ type: 'block', token });
    this.#noteReferences(tokens.slice(0, last), this.#pending.slice(0, closed));
    this.#pending = this.#pending.slice(closed);
    this.#checked = complete - closed;
  }

  #noteReferences(tokens: readonly Token[], source: string): void {
    for (const definition of definitions(tokens)) {
      this.#links[definition.tag] ??= { href: definition.href, title: definition.title };
      this.#definedLate ||= this.#usesReferences;
    }
    this.#usesReferences ||= source.includes('[');
  }

  #lexTail(): Token[] {
    return blocks(lexerWith(this.#links).lex(this.#pending));
  }
}

/** With a copy: lexing that looks ahead must not leave half a definition behind. */
function lexerWith(links: Links): Lexer {
  const lexer = new Lexer();
  lexer.tokens.links = Object.assign(emptyLinks(), links);
  return lexer;
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

function emptyLinks(): Links {
  return Object.create(null) as Links;
}

function blocks(tokens: readonly Token[]): Token[] {
  return tokens.filter((token) => token.type !== 'space');
}
