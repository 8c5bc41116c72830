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
import type { RestoreView } from './messageEdit.js';
import { refoldAround, unfold, type ReadFold } from './readFold.js';
import { drawItem, type DrawnItem } from './renderItem.js';

const itemsPerGroup = 20;
const itemsDrawnFirst = 100;
/** The same, with the items of sub-agents, which are inside others. */
const itemsDrawnFirstInAll = 1000;
/** Beyond this number, older items only appear on a click, because every drawn item takes memory. */
const itemsDrawnOnApproach = 3000;

interface Entry {
  view: ItemView;
  drawn: DrawnItem;
  element: HTMLElement;
  fold: ReadFold | undefined;
  before: Entry | undefined;
  after: Entry | undefined;
}

export class Transcript implements ItemSink {
  readonly content = el('div', { class: 'transcript' });
  readonly #context: ItemContext;
  readonly #earlier = textButton('', () => this.drawEarlier(itemsPerGroup * 5), 'text-button earlier');
  /** Items that are older than everything drawn, by their ids, oldest first. */
  #undrawn = new Map<string, ItemView>();
  /** Items in the page. In a list that is linked, one among thousands leaves without a search. */
  readonly #byId = new Map<string, Entry>();
  #oldest: Entry | undefined;
  #newest: Entry | undefined;
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
    return this.#undrawn.size + this.#byId.size;
  }

  /** Items that are older than everything drawn, oldest first. */
  get undrawn(): readonly ItemView[] {
    return [...this.#undrawn.values()];
  }

  get undrawnCount(): number {
    return this.#undrawn.size;
  }

  /** Items in the page with their elements, oldest first. */
  get drawn(): readonly { readonly view: ItemView; readonly element: HTMLElement }[] {
    return [...this.#entries()];
  }

  /** The number of items that may still be drawn without a click. */
  get room(): number {
    return itemsDrawnOnApproach - this.#byId.size;
  }

  /** Returns all items in order, drawn or not. */
  views(): readonly ItemView[] {
    return [...this.#undrawn.values(), ...this.drawn.map(({ view }) => view)];
  }

  /** Returns the position of the user: the first visible item, and how far below the top edge it begins, in pixels. */
  place(): { readonly itemId: string; readonly offset: number } | undefined {
    const { top } = this.#scroller.getBoundingClientRect();
    for (const { element, view } of this.#entries()) {
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
    const entry = this.#drawnEntry(itemId);
    if (entry === undefined) return false;
    // How far a line is below the beginning of its item is only known once what is between them has its real height.
    if (offset < 0) entry.element.closest('.item-group')?.classList.add('measured');
    const { top } = this.#scroller.getBoundingClientRect();
    this.#scroller.scrollTop += entry.element.getBoundingClientRect().top - top - offset;
    return true;
  }

  has(itemId: string): boolean {
    return this.#byId.has(itemId) || this.#undrawn.has(itemId);
  }

  /** Makes a message of the user editable, and scrolls to it if it is not visible. */
  edit(itemId: string, restore: RestoreView): void {
    const entry = this.#drawnEntry(itemId);
    entry?.drawn.edit(restore);
    entry?.element.scrollIntoView({ block: 'nearest' });
  }

  #drawnEntry(itemId: string): Entry | undefined {
    const undrawn = [...this.#undrawn.keys()].indexOf(itemId);
    if (undrawn !== -1) this.drawEarlier(this.#undrawn.size - undrawn);
    return this.#byId.get(itemId);
  }

  reset(items: readonly ItemView[]): void {
    for (const entry of this.#entries()) entry.drawn.dispose();
    forgetHighlights(this.content);
    this.content.replaceChildren(this.#earlier);
    this.#byId.clear();
    this.#group = undefined;
    const first = firstDrawn(items);
    this.#undrawn = new Map(items.slice(0, first).map((item) => [item.id, item]));
    this.#oldest = this.#newest = undefined;
    for (const item of items.slice(first)) this.#append(item);
    this.#updateEarlier();
  }

  put(item: ItemView): void {
    const entry = this.#byId.get(item.id);
    if (entry !== undefined) return this.#update(entry, item);
    if (this.#undrawn.has(item.id)) this.#undrawn.set(item.id, item);
    else this.#append(item);
  }

  append(id: string, text: string): void {
    const entry = this.#byId.get(id);
    if (entry !== undefined) {
      entry.view = withText(entry.view, text);
      entry.drawn.append(text);
      return;
    }
    const view = this.#undrawn.get(id);
    if (view !== undefined) this.#undrawn.set(id, withText(view, text));
  }

  remove(id: string): void {
    this.#undrawn.delete(id);
    const entry = this.#byId.get(id);
    if (entry !== undefined) this.#removeEntry(entry);
    this.#updateEarlier();
  }

  #removeEntry(entry: Entry): void {
    const { before, after } = entry;
    unfold(entry);
    if (before === undefined) this.#oldest = after;
    else before.after = after;
    if (after === undefined) this.#newest = before;
    else after.before = before;
    this.#byId.delete(entry.view.id);
    entry.drawn.dispose();
    forgetHighlights(entry.element);
    entry.element.remove();
    refoldAround(before);
    refoldAround(after);
  }

  #update(entry: Entry, item: ItemView): void {
    const isMoved = entry.view.kind === 'tool' && item.kind === 'tool' && entry.view.inside !== item.inside;
    entry.view = item;
    if (isMoved) {
      unfold(entry);
      // It is the call that started the sub-agent.
      this.#innerOf(item)?.prepend(entry.element);
    }
    if (!entry.drawn.update(item)) {
      const before = entry.element;
      unfold(entry);
      entry.drawn.dispose();
      entry.drawn = drawItem(item, this.#context);
      entry.element = entry.drawn.element;
      before.replaceWith(entry.element);
    }
    refoldAround(entry);
  }

  #append(item: ItemView): void {
    const inner = this.#innerOf(item);
    if (inner !== undefined) {
      const entry = this.#createEntry(item, this.#newest, undefined);
      inner.append(entry.element);
      if (item.kind === 'subagent') this.#adopt(item.id);
      return refoldAround(entry);
    }
    if (this.#group === undefined || this.#group.childElementCount >= itemsPerGroup) {
      this.#group = el('div', { class: 'item-group' });
      this.content.append(this.#group);
    }
    const entry = this.#createEntry(item, this.#newest, undefined);
    this.#group.append(entry.element);
    if (item.kind === 'subagent') this.#adopt(item.id);
    refoldAround(entry);
  }

  #createEntry(view: ItemView, before: Entry | undefined, after: Entry | undefined): Entry {
    const drawn = drawItem(view, this.#context);
    const entry: Entry = { view, drawn, element: drawn.element, fold: undefined, before, after };
    if (before === undefined) this.#oldest = entry;
    else before.after = entry;
    if (after === undefined) this.#newest = entry;
    else after.before = entry;
    this.#byId.set(view.id, entry);
    return entry;
  }

  /** Returns what contains the item, if the sub-agent that it belongs to is in the page. */
  #innerOf(view: ItemView): HTMLElement | undefined {
    return 'inside' in view && view.inside !== undefined ? this.#byId.get(view.inside)?.drawn.inner : undefined;
  }

  /** Moves what a sub-agent said and did into it: that was drawn before. */
  #adopt(id: string): void {
    const inner = this.#byId.get(id)?.drawn.inner;
    if (inner === undefined) return;
    for (const entry of this.#entries()) {
      if (!('inside' in entry.view) || entry.view.inside !== id) continue;
      unfold(entry);
      inner.append(entry.element);
    }
  }

  /** Oldest first. */
  *#entries(): Generator<Entry, void> {
    for (let entry = this.#oldest; entry !== undefined; entry = entry.after) yield entry;
  }

  /** Draws items above the visible ones without moving those. */
  drawEarlier(count: number): void {
    const items = [...this.#undrawn.values()].slice(Math.max(0, this.#undrawn.size - count));
    for (const { id } of items) this.#undrawn.delete(id);
    const bottom = this.#scroller.scrollHeight - this.#scroller.scrollTop;
    const visible = this.#oldest;
    for (let end = items.length; end > 0; end -= itemsPerGroup) {
      const newer = this.#oldest;
      const group = el('div', { class: 'item-group' });
      let last: Entry | undefined;
      for (const item of items.slice(Math.max(0, end - itemsPerGroup), end))
        group.append((last = this.#createEntry(item, last, newer)).element);
      this.#earlier.after(group);
    }
    for (const { id, kind } of items) if (kind === 'subagent') this.#adopt(id);
    for (let entry = visible ?? this.#newest; entry !== undefined; entry = entry.before) refoldAround(entry);
    this.#updateEarlier();
    this.#scroller.scrollTop = this.#scroller.scrollHeight - bottom;
    if (this.#undrawn.size > 0) this.#watchEarlier();
  }

  #updateEarlier(): void {
    this.#earlier.hidden = this.#undrawn.size === 0;
    this.#earlier.textContent = `Show earlier (${countOf(this.#undrawn.size, 'entry', 'entries')})`;
  }
}

function firstDrawn(items: readonly ItemView[]): number {
  let first = items.length;
  let outer = 0;
  for (; first > 0 && outer < itemsDrawnFirst && items.length - first < itemsDrawnFirstInAll; first--) {
    const item = items[first - 1];
    if (item === undefined || !('inside' in item) || item.inside === undefined) outer++;
  }
  return first;
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
    case 'plan':
    case 'subagent':
    case 'turn_end':
      return view;
  }
}
