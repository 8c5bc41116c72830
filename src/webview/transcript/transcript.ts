/**
 * The conversation. Items are rendered without a framework, and are only appended or patched, so that selection, focus and expanded parts
 * survive a stream. They are in groups of 20, which the browser may skip while they are not visible. In a long conversation, the newest
 * items are drawn first, and older groups when the user scrolls near them.
 */
import type { ItemView } from '../../contract/view.js';
import { el, textButton } from '../base/dom.js';
import { forgetHighlights } from '../markdown/highlight.js';
import type { ItemSink } from '../base/store.js';
import { countOf } from '../base/formatText.js';
import type { ItemContext } from './itemNode.js';
import { refoldAround, unfold, type ReadFold } from './readFold.js';
import { drawItem, type DrawnItem } from './renderItem.js';

const itemsPerGroup = 20;
const itemsDrawnFirst = 100;
/** Beyond this number, older items only appear on a click, because every drawn item takes memory. */
const itemsDrawnOnApproach = 3000;

interface Entry {
  view: ItemView;
  drawn: DrawnItem;
  element: HTMLElement;
  fold: ReadFold | undefined;
}

export class Transcript implements ItemSink {
  readonly content = el('div', { class: 'transcript' });
  readonly #context: ItemContext;
  readonly #earlier = textButton('', () => this.drawEarlier(itemsPerGroup * 5), 'text-button earlier');
  #undrawn: ItemView[] = [];
  /** Items in the page, oldest first. */
  #entries: Entry[] = [];
  readonly #byId = new Map<string, Entry>();
  #group: HTMLElement | undefined;

  /** @param scroller the box in which `content` scrolls */
  constructor(context: ItemContext, scroller: HTMLElement) {
    this.#context = context;
    this.#earlier.hidden = true;
    this.content.append(this.#earlier);
    const approach = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting === true && this.room > 0) this.drawEarlier(itemsPerGroup);
      },
      { root: scroller, rootMargin: '600px 0px 0px' },
    );
    approach.observe(this.#earlier);
    // A sentinel that stays visible does not intersect again, so it is observed again after each group.
    this.#watchEarlier = () => {
      approach.unobserve(this.#earlier);
      approach.observe(this.#earlier);
    };
    this.#scroller = scroller;
  }

  readonly #watchEarlier: () => void;
  readonly #scroller: HTMLElement;

  get count(): number {
    return this.#undrawn.length + this.#entries.length;
  }

  /** Items that are older than everything drawn, oldest first. */
  get undrawn(): readonly ItemView[] {
    return this.#undrawn;
  }

  /** Items in the page with their elements, oldest first. */
  get drawn(): readonly { readonly view: ItemView; readonly element: HTMLElement }[] {
    return this.#entries;
  }

  /** The number of items that may still be drawn without a click. */
  get room(): number {
    return itemsDrawnOnApproach - this.#entries.length;
  }

  /** Returns all items in order, drawn or not. */
  views(): readonly ItemView[] {
    return [...this.#undrawn, ...this.#entries.map((entry) => entry.view)];
  }

  /** Returns the position of the user: the first visible item, and how far below the top edge it begins, in pixels. */
  place(): { readonly itemId: string; readonly offset: number } | undefined {
    const { top } = this.#scroller.getBoundingClientRect();
    for (const { element, view } of this.#entries) {
      const box = element.getBoundingClientRect();
      if (box.height > 0 && box.bottom > top) return { itemId: view.id, offset: box.top - top };
    }
    return undefined;
  }

  /**
   * Scrolls to a position.
   * @returns false if its item no longer exists
   */
  goTo({ itemId, offset }: { readonly itemId: string; readonly offset: number }): boolean {
    const undrawn = this.#undrawn.findIndex(({ id }) => id === itemId);
    if (undrawn !== -1) this.drawEarlier(this.#undrawn.length - undrawn);
    const entry = this.#byId.get(itemId);
    if (entry === undefined) return false;
    const { top } = this.#scroller.getBoundingClientRect();
    this.#scroller.scrollTop += entry.element.getBoundingClientRect().top - top - offset;
    return true;
  }

  reset(items: readonly ItemView[]): void {
    for (const entry of this.#entries) entry.drawn.dispose();
    forgetHighlights(this.content);
    this.content.replaceChildren(this.#earlier);
    this.#byId.clear();
    this.#group = undefined;
    const first = Math.max(0, items.length - itemsDrawnFirst);
    this.#undrawn = items.slice(0, first);
    this.#entries = [];
    for (const item of items.slice(first)) this.#append(item);
    this.#updateEarlier();
  }

  put(item: ItemView): void {
    const entry = this.#byId.get(item.id);
    if (entry !== undefined) return this.#update(entry, item);
    const undrawn = this.#undrawn.findIndex(({ id }) => id === item.id);
    if (undrawn === -1) this.#append(item);
    else this.#undrawn[undrawn] = item;
  }

  append(id: string, text: string): void {
    const entry = this.#byId.get(id);
    if (entry !== undefined) {
      entry.view = withText(entry.view, text);
      entry.drawn.append(text);
      return;
    }
    this.#undrawn = this.#undrawn.map((view) => (view.id === id ? withText(view, text) : view));
  }

  remove(id: string): void {
    this.#undrawn = this.#undrawn.filter((view) => view.id !== id);
    const entry = this.#byId.get(id);
    if (entry !== undefined) this.#removeEntry(entry);
    this.#updateEarlier();
  }

  #removeEntry(entry: Entry): void {
    const index = this.#entries.lastIndexOf(entry);
    unfold(this.#entries, entry);
    this.#entries.splice(index, 1);
    this.#byId.delete(entry.view.id);
    entry.drawn.dispose();
    forgetHighlights(entry.element);
    entry.element.remove();
    refoldAround(this.#entries, index - 1);
    refoldAround(this.#entries, index);
  }

  #update(entry: Entry, item: ItemView): void {
    entry.view = item;
    if (!entry.drawn.update(item)) {
      const before = entry.element;
      unfold(this.#entries, entry);
      entry.drawn.dispose();
      entry.drawn = drawItem(item, this.#context);
      entry.element = entry.drawn.element;
      before.replaceWith(entry.element);
    }
    refoldAround(this.#entries, this.#entries.lastIndexOf(entry));
  }

  #append(item: ItemView): void {
    if (this.#group === undefined || this.#group.childElementCount >= itemsPerGroup) {
      this.#group = el('div', { class: 'item-group' });
      this.content.append(this.#group);
    }
    const entry = this.#createEntry(item);
    this.#entries.push(entry);
    this.#group.append(entry.element);
    refoldAround(this.#entries, this.#entries.length - 1);
  }

  #createEntry(view: ItemView): Entry {
    const drawn = drawItem(view, this.#context);
    const entry: Entry = { view, drawn, element: drawn.element, fold: undefined };
    this.#byId.set(view.id, entry);
    return entry;
  }

  /** Draws items above the visible ones without moving those. */
  drawEarlier(count: number): void {
    const items = this.#undrawn.splice(Math.max(0, this.#undrawn.length - count));
    const bottom = this.#scroller.scrollHeight - this.#scroller.scrollTop;
    for (let end = items.length; end > 0; end -= itemsPerGroup) {
      const entries = items.slice(Math.max(0, end - itemsPerGroup), end).map((item) => this.#createEntry(item));
      this.#earlier.after(el('div', { class: 'item-group' }, ...entries.map((entry) => entry.element)));
      this.#entries.unshift(...entries);
    }
    for (let index = items.length; index >= 0; index--) refoldAround(this.#entries, index);
    this.#updateEarlier();
    this.#scroller.scrollTop = this.#scroller.scrollHeight - bottom;
    if (this.#undrawn.length > 0) this.#watchEarlier();
  }

  #updateEarlier(): void {
    this.#earlier.hidden = this.#undrawn.length === 0;
    this.#earlier.textContent = `Show earlier (${countOf(this.#undrawn.length, 'entry', 'entries')})`;
  }
}

function withText(view: ItemView, text: string): ItemView {
  switch (view.kind) {
    case 'agent':
      return { ...view, markdown: view.markdown + text };
    case 'user':
    case 'thought':
      return { ...view, text: view.text + text };
    case 'tool':
      return { ...view, output: (view.output ?? '') + text };
    case 'notice':
    case 'turn_end':
      return view;
  }
}
