/**
 * One growing markdown text in the page. Finished blocks are appended and never touched again; the open end is patched in place.
 * Blocks go into groups of 32 that the browser may skip while they are out of sight.
 */
import type { Token } from 'marked';
import { emptyLinks, lex } from './boundedLexer.js';
import { el } from '../base/dom.js';
import { BlockStream, type BlockEvent, type BlockUpdate } from './blockStream.js';
import { codeBlockOf, createCodeBlock, type CodeBlock, type MarkdownContext } from './codeBlock.js';
import { OpenDetails, partsOf, summaryIn } from './details.js';
import { forgetHighlights, highlightWithin } from './highlight.js';
import { patchNode } from './patchNodes.js';
import { renderBlock } from './renderBlock.js';

const blocksPerGroup = 32;
/** A flush may use a quarter of the time: after one that took 10 ms, the next comes no sooner than 30 ms later. */
const pauseFactor = 3;
/** What a flood brought is drawn in pieces: a key that is pressed meanwhile waits for one of them, not for all. */
const sliceChars = 2_048;
const sliceBudgetMs = 6;

export class MarkdownView {
  readonly element = el('div', { class: 'markdown' });
  readonly #context: MarkdownContext;
  #stream = new BlockStream();
  #group: HTMLElement | undefined;
  /** Nodes of the open end. They stand where they will stay: moving a node would take the selection from it. */
  #tail: HTMLElement[] = [];
  #code: CodeBlock | undefined;
  #details = new OpenDetails();
  #frame: number | undefined;
  #notBefore = 0;
  /** All of it, drawn or not. */
  #text = '';
  /** The end of it that is not in the stream yet. */
  #waiting = '';
  #ended = false;

  constructor(context: MarkdownContext) {
    this.#context = context;
  }

  get text(): string {
    return this.#text;
  }

  append(text: string): void {
    this.#text += text;
    this.#waiting += text;
    this.#frame ??= requestAnimationFrame(this.#onFrame);
  }

  /** Brings the view to `text`, by appending where that is possible. */
  set(text: string): void {
    if (this.#text === text) return;
    if (text.startsWith(this.#text) && !this.#ended) return this.append(text.slice(this.#text.length));
    this.#clear();
    this.#text = '';
    this.#waiting = '';
    this.#ended = false;
    this.#stream = new BlockStream();
    this.append(text);
  }

  /** No more text comes. Draws what is left at once, unless that is much and a reader is there to wait for it. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#frame !== undefined && this.#waiting.length > sliceChars && this.element.isConnected) return;
    this.dispose();
    this.#feed(Infinity);
    this.#apply(this.#stream.end());
  }

  dispose(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
  }

  readonly #onFrame = (): void => {
    const startedAt = performance.now();
    if (startedAt < this.#notBefore) {
      this.#frame = requestAnimationFrame(this.#onFrame);
      return;
    }
    this.#frame = undefined;
    do {
      this.#feed(sliceChars);
      this.#apply(this.#isFed && this.#ended ? this.#stream.end() : this.#stream.flush());
    } while (!this.#isFed && performance.now() - startedAt < sliceBudgetMs);
    const now = performance.now();
    this.#notBefore = now + (now - startedAt) * pauseFactor;
    if (!this.#isFed) this.#frame = requestAnimationFrame(this.#onFrame);
  };

  get #isFed(): boolean {
    return this.#waiting === '';
  }

  #feed(chars: number): void {
    this.#stream.append(this.#waiting.slice(0, chars));
    this.#waiting = this.#waiting.slice(chars);
  }

  #apply({ reset, events, tail }: BlockUpdate): void {
    if (reset) this.#clear();
    for (const event of events) this.#take(event);
    this.#drawTail(tail);
  }

  #take(event: BlockEvent): void {
    switch (event.type) {
      case 'block':
        return this.#takeBlock(event.token);
      case 'codeOpen':
        return this.#openCode(createCodeBlock(event.language, this.#context));
      case 'codeText':
        return this.#code?.append(event.text);
      case 'codeClose':
        if (this.#code !== undefined) highlightWithin(this.#code.element);
        this.#code = undefined;
    }
  }

  #takeBlock(token: Token): void {
    const parts = partsOf(token);
    if (parts === undefined) return this.#addBlock(this.#renderSafely(token));
    // What comes next stands elsewhere now.
    for (const node of this.#tail) node.remove();
    this.#tail = [];
    this.#details.take(
      parts,
      (element) => this.#place(element, undefined),
      (markdown) => {
        for (const each of lex(markdown, emptyLinks())) this.#addBlock(this.#renderSafely(each));
      },
    );
  }

  #addBlock(block: HTMLElement | null): void {
    if (block === null) return;
    const placed = this.#place(block, this.#tail.shift());
    highlightWithin(placed);
    this.#context.fileNames.linkWithin(placed);
    this.#context.images.loadWithin(placed);
  }

  /** The opening line may already stand in the page as an empty block, drawn when it was the end of the text: that one stays and is filled. */
  #openCode(fresh: CodeBlock): void {
    const placed = this.#place(fresh.element, this.#tail.shift());
    this.#code = codeBlockOf(placed) ?? fresh;
  }

  #drawTail(tail: readonly Token[]): void {
    const nodes = tail.map((token) => this.#renderTail(token)).filter((node) => node !== null);
    for (const extra of this.#tail.slice(nodes.length)) extra.remove();
    this.#tail = nodes.map((node, index) => this.#place(node, this.#tail[index]));
    if (this.#group?.childElementCount !== 0) return;
    // Out of sight it would take the room of a full one.
    this.#group.remove();
    this.#group = undefined;
  }

  /** Of a foldable part only its words, until it is known where it begins. */
  #renderTail(token: Token): HTMLElement | null {
    const parts = partsOf(token);
    if (parts === undefined) return this.#renderSafely(token);
    const words = summaryIn(parts);
    return words === '' ? null : el('p', { class: 'details-coming', dir: 'auto' }, words);
  }

  /** Brings `seen` to what `fresh` is, or puts `fresh` in its place or at the end. Returns the one that stayed. */
  #place(fresh: HTMLElement, seen: HTMLElement | undefined): HTMLElement {
    if (seen !== undefined && patchNode(seen, fresh)) return seen;
    if (seen !== undefined) {
      seen.replaceWith(fresh);
      return fresh;
    }
    const { body } = this.#details;
    if (body !== undefined) {
      body.append(fresh);
      return fresh;
    }
    if (this.#group === undefined || this.#group.childElementCount >= blocksPerGroup) {
      this.#group = el('div', { class: 'markdown-group' });
      this.element.append(this.#group);
    }
    this.#group.append(fresh);
    return fresh;
  }

  /** A text that cannot be drawn as markdown is still shown. */
  #renderSafely(token: Token): HTMLElement | null {
    try {
      return renderBlock(token, this.#context);
    } catch (error) {
      reportError(error);
      return el('p', { class: 'raw-html' }, token.raw);
    }
  }

  #clear(): void {
    forgetHighlights(this.element);
    this.element.replaceChildren();
    this.#tail = [];
    this.#details = new OpenDetails();
    this.#group = undefined;
    this.#code = undefined;
  }
}
