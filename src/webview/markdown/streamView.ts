/**
 * One growing Markdown text in the page. Finished blocks are appended and never touched again; the open end is patched in place. Blocks are
 * in groups of 32, which the browser may skip while they are not visible.
 */
import type { Token } from 'marked';
import { el, setAttributes } from '../base/dom.js';
import { isTypedSince } from '../base/typing.js';
import { type BlockEvent, BlockStream, type BlockUpdate } from './blockStream.js';
import { emptyLinks, lex } from './boundedLexer.js';
import { type CodeBlock, codeBlockOf, createCodeBlock, growCodeBlock, type MarkdownContext } from './codeBlock.js';
import { OpenDetails, partsOf, summaryIn } from './details.js';
import { forgetHighlights, highlightWithin } from './highlight.js';
import { copyLinkIntent } from './linkClicks.js';
import { renderBlock } from './renderBlock.js';

const blocksPerGroup = 32;
/** Drawing and its layout may use a fifth of the time: after a flush of 10 ms, the next one follows 40 ms later at the earliest. */
const pauseFactor = 4;
/** Draws in every second frame at 60 Hz: painting costs as much as drawing, and nobody reads faster. */
const leastPauseMs = 20;
/** A flood of text is drawn in slices, so that a key press waits for one of them and not for all. */
const sliceChars = 2_048;
const sliceBudgetMs = 6;
/** How long a letter that was typed needs to appear, if nothing else is drawn. */
const typingMs = 17;

/** A block of the open end. */
interface TailNode {
  /** The text that it was drawn from. */
  readonly raw: string;
  readonly node: HTMLElement;
}

/** A text in the page that grows. */
export interface MarkdownText {
  readonly element: HTMLElement;
  /** The whole text, drawn or not. */
  readonly text: string;
  append(text: string): void;
  /** Updates the element to `text`, by appending if that is possible. */
  set(text: string): void;
  /** Call this when no more text follows. */
  end(): void;
  dispose(): void;
}

export class MarkdownView implements MarkdownText {
  readonly element = el('div', { class: 'markdown' });
  readonly #context: MarkdownContext;
  #stream = new BlockStream();
  #group: HTMLElement | undefined;
  /** The nodes of the open end. They are where they will stay, because moving a node would remove the selection from it. */
  #tail: TailNode[] = [];
  #code: CodeBlock | undefined;
  #details = new OpenDetails();
  #frame: number | undefined;
  #notBefore = 0;
  #yielded = false;
  /** The whole text, drawn or not. */
  #text = '';
  /** The end of the text that is not in the stream yet. */
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

  /** Updates the view to `text`, by appending if that is possible. */
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

  /** Call this when no more text follows. Draws the rest at once, unless it is long and the view is in the page. */
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
    if (startedAt < this.#notBefore || this.#yieldsToTyping(startedAt)) {
      this.#frame = requestAnimationFrame(this.#onFrame);
      return;
    }
    this.#frame = undefined;
    do {
      this.#feed(sliceChars);
      this.#apply(this.#isFed && this.#ended ? this.#stream.end() : this.#stream.flush());
    } while (!this.#isFed && performance.now() - startedAt < sliceBudgetMs);
    this.#context.follow();
    const now = performance.now();
    this.#notBefore = now + Math.max(leastPauseMs, (now - startedAt) * pauseFactor);
    if (!this.#isFed) this.#frame = requestAnimationFrame(this.#onFrame);
  };

  /** Whether this frame is for what was typed just now. Never two in a row, so that a key that is held down does not stop the answer. */
  #yieldsToTyping(now: number): boolean {
    this.#yielded = !this.#yielded && isTypedSince(now - typingMs);
    return this.#yielded;
  }

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
    // The following text belongs elsewhere now.
    for (const { node } of this.#tail) node.remove();
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
    const placed = this.#place(block, this.#tail.shift()?.node);
    highlightWithin(placed);
    this.#context.fileNames.linkWithin(placed);
    this.#context.images.loadWithin(placed);
  }

  /**
   * The opening line may already be in the page as an empty block, drawn when it was the end of the text. That block stays and is filled.
   */
  #openCode(fresh: CodeBlock): void {
    const placed = this.#place(fresh.element, this.#tail.shift()?.node);
    this.#code = codeBlockOf(placed) ?? fresh;
  }

  #drawTail(tail: readonly Token[]): void {
    const drawn: TailNode[] = [];
    for (const token of tail) {
      const { raw } = token;
      const seen = this.#tail[drawn.length];
      // A paragraph stays in the open end until the first line of the next one is complete.
      const fresh = seen?.raw === raw ? seen.node : this.#renderTail(token);
      if (fresh !== null) drawn.push({ raw, node: fresh === seen?.node ? fresh : this.#place(fresh, seen?.node) });
    }
    for (const { node } of this.#tail.slice(drawn.length)) node.remove();
    this.#tail = drawn;
    if (this.#group?.childElementCount !== 0) return;
    // An invisible group would take up the space of a full one.
    this.#group.remove();
    this.#group = undefined;
  }

  /** Draws only the summary of a section until it is clear where the section begins. */
  #renderTail(token: Token): HTMLElement | null {
    const parts = partsOf(token);
    if (parts === undefined) return this.#renderSafely(token);
    const words = summaryIn(parts);
    return words === '' ? null : el('p', { class: 'details-coming', dir: 'auto' }, words);
  }

  /** Updates `seen` to `fresh`, or puts `fresh` in its place or at the end. Returns the element that is in the page. */
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

  /** A text that cannot be rendered as Markdown is still shown. */
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

/**
 * Updates nodes in the page to a freshly rendered state with the fewest changes, so that selection and focus in unchanged parts survive.
 */
function patchChildren(parent: Node, fresh: readonly Node[]): void {
  fresh.forEach((node, index) => {
    const kept = parent.childNodes[index];
    if (kept === undefined) parent.appendChild(node);
    else if (!patchNode(kept, node)) parent.replaceChild(node, kept);
  });
  while (parent.childNodes.length > fresh.length) parent.lastChild?.remove();
}

/** @returns false if `kept` is of a different kind; it is then unchanged */
function patchNode(kept: Node, fresh: Node): boolean {
  if (kept instanceof Text && fresh instanceof Text) {
    patchText(kept, fresh.data);
    return true;
  }
  if (!(kept instanceof HTMLElement) || !(fresh instanceof HTMLElement) || kept.nodeName !== fresh.nodeName) return false;
  if (kept.className !== fresh.className) return false;
  if (kept.classList.contains('code-block')) return growCodeBlock(kept, fresh);
  patchAttributes(kept, fresh);
  copyLinkIntent(kept, fresh);
  patchChildren(kept, [...fresh.childNodes]);
  return true;
}

/** Replaces only what follows the common beginning. */
function patchText(kept: Text, text: string): void {
  const before = kept.data;
  if (before === text) return;
  if (text.startsWith(before)) return kept.appendData(text.slice(before.length));
  let same = 0;
  while (same < before.length && before[same] === text[same]) same++;
  kept.replaceData(same, before.length - same, text.slice(same));
}

function patchAttributes(kept: HTMLElement, fresh: HTMLElement): void {
  // Once a part is in the page, the user decides whether it is collapsed.
  for (const { name } of [...kept.attributes]) if (name !== 'open' && !fresh.hasAttribute(name)) kept.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (kept.getAttribute(name) !== value) setAttributes(kept, { [name]: value });
  if (kept instanceof HTMLInputElement && fresh instanceof HTMLInputElement) kept.checked = fresh.checked;
}
