/** Adjacent reads and searches that are done, collapsed to one line: "Read 6 files". */
import type { ItemView } from '../../contract/view.js';
import { el, icon, setText } from '../base/dom.js';
import { countOf } from '../base/formatText.js';

/** Two lines take up no more space than the collapsed line and its details. */
const fewestFolded = 3;

export interface Foldable {
  readonly view: ItemView;
  readonly element: HTMLElement;
  fold: ReadFold | undefined;
}

export interface ReadFold {
  readonly element: HTMLDetailsElement;
  readonly label: HTMLElement;
}

function isFoldable({ view }: Foldable): boolean {
  return (
    view.kind === 'tool' &&
    view.status === 'completed' &&
    (view.toolKind === 'read' || view.toolKind === 'search') &&
    view.diffs.length === 0
  );
}

/** Collapses or expands what surrounds `entries[index]`. Entries are in the order of the conversation and all in the page. */
export function refoldAround(entries: readonly Foldable[], index: number): void {
  const entry = entries[index];
  if (entry === undefined) return;
  if (isFoldable(entry)) return foldRun(entries, index);
  if (entry.fold === undefined) return;
  dissolve(entries, entry.fold);
  refoldAround(entries, index - 1);
  refoldAround(entries, index + 1);
}

/** Call this for an entry that leaves the page; collapses the rest of its group again. */
export function unfold(entries: readonly Foldable[], entry: Foldable): void {
  if (entry.fold !== undefined) dissolve(entries, entry.fold);
}

function foldRun(entries: readonly Foldable[], index: number): void {
  let first = index;
  let last = index;
  for (let before = entries[first - 1]; before !== undefined && isFoldable(before); before = entries[first - 1]) first--;
  for (let after = entries[last + 1]; after !== undefined && isFoldable(after); after = entries[last + 1]) last++;
  const run = entries.slice(first, last + 1);
  if (run.length < fewestFolded || run.some(isInUse)) return;
  const fold = run.find((entry) => entry.fold !== undefined)?.fold ?? createFold(run[0]);
  if (fold === undefined) return;
  place(run, fold);
  setText(fold.label, describe(run));
}

/** Moving a node would remove the focus from it. */
function isInUse({ element, fold }: Foldable): boolean {
  return fold === undefined && element.contains(document.activeElement);
}

function createFold(first: Foldable | undefined): ReadFold | undefined {
  if (first === undefined) return undefined;
  const label = el('span');
  const element = el('details', { class: 'item fold' }, el('summary', {}, icon('chevron-right'), icon('files'), label));
  first.element.before(element);
  return { element, label };
}

function place(run: readonly Foldable[], fold: ReadFold): void {
  let previous: Element | null = fold.element.firstElementChild;
  for (const entry of run) {
    if (entry.fold !== undefined && entry.fold !== fold) entry.fold.element.remove();
    if (previous?.nextElementSibling !== entry.element) previous?.after(entry.element);
    entry.fold = fold;
    previous = entry.element;
  }
}

function dissolve(entries: readonly Foldable[], fold: ReadFold): void {
  for (const entry of entries) {
    if (entry.fold !== fold) continue;
    fold.element.before(entry.element);
    entry.fold = undefined;
  }
  fold.element.remove();
}

function describe(run: readonly Foldable[]): string {
  const searches = run.filter(({ view }) => view.kind === 'tool' && view.toolKind === 'search').length;
  const reads = run.length - searches;
  const searched = `${countOf(searches, 'search', 'searches')}`;
  if (reads === 0) return `Ran ${searched}`;
  return searches === 0 ? `Read ${countOf(reads, 'file', 'files')}` : `Read ${countOf(reads, 'file', 'files')}, ran ${searched}`;
}
