/** Adjacent reads and searches that are done, collapsed to one line: "Read 6 files". */
import type { ItemView } from '../../contract/view.js';
import { el, icon, setText } from '../base/dom.js';
import { countOf } from '../base/formatText.js';

/** Two lines take up no more space than the collapsed line and its details. */
const fewestFolded = 3;
/** Each entry that is added goes through the whole line, so what an agent can put into one line has a limit. */
const mostFolded = 100;

/** An entry of the conversation, all of which are in the page. */
export interface Foldable {
  readonly view: ItemView;
  readonly element: HTMLElement;
  /** The next older entry. */
  readonly before: Foldable | undefined;
  /** The next newer entry. */
  readonly after: Foldable | undefined;
  fold: ReadFold | undefined;
}

export interface ReadFold {
  readonly element: HTMLDetailsElement;
  readonly label: HTMLElement;
  /** In the order of the conversation. */
  entries: readonly Foldable[];
}

function isFoldable({ view }: Foldable): boolean {
  return (
    view.kind === 'tool' &&
    view.status === 'completed' &&
    (view.toolKind === 'read' || view.toolKind === 'search') &&
    view.diffs.length === 0
  );
}

function insideOf({ view }: Foldable): string | undefined {
  return 'inside' in view ? view.inside : undefined;
}

/** Collapses or expands what surrounds the entry. */
export function refoldAround(entry: Foldable | undefined): void {
  if (entry === undefined) return;
  if (isFoldable(entry)) return foldRun(runAround(entry));
  if (entry.fold === undefined) return;
  dissolve(entry.fold);
  refoldAround(entry.before);
  refoldAround(entry.after);
}

/** Call this for an entry that leaves the page; the rest of its group is collapsed again by `refoldAround`. */
export function unfold({ fold }: Foldable): void {
  if (fold !== undefined) dissolve(fold);
}

/** Returns the adjacent entries that can be one line with the entry. A line that is already there is in it completely, or not at all. */
function runAround(entry: Foldable): readonly Foldable[] {
  const run = [...(entry.fold?.entries ?? [entry])];
  const next = (one: Foldable | undefined): readonly Foldable[] => {
    const added = one === undefined || !isFoldable(one) || insideOf(one) !== insideOf(entry) ? [] : (one.fold?.entries ?? [one]);
    return run.length + added.length > mostFolded ? [] : added;
  };
  for (let added = next(run[0]?.before); added.length > 0; added = next(run[0]?.before)) run.unshift(...added);
  for (let added = next(run.at(-1)?.after); added.length > 0; added = next(run.at(-1)?.after)) run.push(...added);
  return run;
}

function foldRun(run: readonly Foldable[]): void {
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
  return { element, label, entries: [] };
}

function place(run: readonly Foldable[], fold: ReadFold): void {
  let previous: Element | null = fold.element.firstElementChild;
  for (const entry of run) {
    if (entry.fold !== undefined && entry.fold !== fold) entry.fold.element.remove();
    if (previous?.nextElementSibling !== entry.element) previous?.after(entry.element);
    entry.fold = fold;
    previous = entry.element;
  }
  fold.entries = run;
}

function dissolve(fold: ReadFold): void {
  for (const entry of fold.entries) {
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
