/** Finds text in the rendered conversation, and marks it without changing its nodes. */
import type { AgentItemView, ItemView, ToolItemView } from '../../contract/view.js';
import type { DiffView } from '../../contract/viewParts.js';
import { agentTexts } from './itemNode.js';

/** Parts of the conversation that are collapsed: which they are, and how they are expanded, as a click of the user does. */

/** The parts whose text is only in the page, or up to date, while they are expanded. */
const drawnOnDemand = '.tool-body, .thought-body';
const toolBody = 'tool-body';

/** What a walk through the page does about an element. */
type Visibility = 'visible' | 'collapsed' | 'undrawn' | 'hidden';

/**
 * Returns whether the user sees an element whose parent they see. `undrawn`: it is collapsed, and its text is in the view of its item.
 * Elements say this themselves: computing the style of every element in a long conversation takes seconds.
 */
function visibilityOf(element: Element): Visibility {
  if (element.classList.contains(toolBody)) return element.hasAttribute('hidden') ? 'undrawn' : 'visible';
  if (element.hasAttribute('hidden')) return 'hidden';
  if (!isInClosedDetails(element)) return 'visible';
  if (element.matches(drawnOnDemand)) return 'undrawn';
  return element.closest('.as-sent') === null ? 'collapsed' : 'hidden';
}

function isInClosedDetails(element: Element): boolean {
  const parent = element.parentElement;
  return parent instanceof HTMLDetailsElement && !parent.open && element.tagName !== 'SUMMARY';
}

/** Returns the button that shows the rest of a tool's output, if only its last lines are visible. */
function restOfOutput(element: Element): HTMLElement | undefined {
  const block = element.classList.contains('output') ? element.closest('.output-block:not(.all)') : null;
  return block?.querySelector<HTMLElement>('.output-actions:not([hidden]) button') ?? undefined;
}

/** Returns the controls that make `place` visible, outermost first. A button is a place that it makes visible. */
export function expandersOf(place: Node): readonly HTMLElement[] {
  const expanders: (HTMLElement | null)[] = place instanceof HTMLButtonElement ? [place] : [];
  for (let element = place instanceof Element ? place : place.parentElement; element !== null; element = element.parentElement) {
    if (element.matches(`.${toolBody}[hidden]`)) expanders.push(element.parentElement?.querySelector<HTMLElement>('.tool-toggle') ?? null);
    else if (isInClosedDetails(element)) expanders.push(element.parentElement?.querySelector('summary') ?? null);
  }
  return expanders.filter((expander) => expander !== null).reverse();
}

/**
 * Resolves after the frame in which the page draws what it shows then, and follows it to the end of the conversation if the user is there.
 */
export async function expand(expanders: readonly HTMLElement[]): Promise<void> {
  for (const expander of expanders) {
    const details = expander.parentElement;
    const toggled =
      details instanceof HTMLDetailsElement && new Promise((resolve) => details.addEventListener('toggle', resolve, { once: true }));
    expander.click();
    await toggled;
    const rest = expander.closest('.tool')?.querySelectorAll<HTMLElement>('.diff-lines > button') ?? [];
    for (const button of rest) button.click();
  }
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

const foundName = 'found';
const currentName = 'found-current';
/** The limit up to which matches are counted. */
const mostMatches = 2_000;
/** A match never spans two of these elements. */
const blocks = 'p, li, pre, td, th, h1, h2, h3, h4, h5, h6, summary, article, div';

/** A match in the page. If its text is not in the page, the element that must be expanded for it. */
export type Match = Range | Element;

/** Replaces all earlier marks. */
export function markMatches(matches: readonly Match[], current: Range | undefined): void {
  mark(
    foundName,
    matches.filter((match) => match instanceof Range),
  );
  mark(currentName, current === undefined ? [] : [current]);
}

function mark(name: string, ranges: readonly Range[]): void {
  if (ranges.length === 0) CSS.highlights.delete(name);
  else CSS.highlights.set(name, new Highlight(...ranges));
}

/** The position of its first character in the whole text. */
interface Positioned {
  readonly at: number;
}
interface Piece extends Positioned {
  readonly node: Text;
}
interface UndrawnPart extends Positioned {
  readonly element: Element;
}
interface PageText {
  readonly text: string;
  readonly pieces: readonly Piece[];
  readonly undrawn: readonly UndrawnPart[];
}

/**
 * @param words in lower case
 * @param countIn returns the number of matches in a part whose text is not in the page
 */
export function matchesIn(content: HTMLElement, words: string, countIn: (part: Element) => number): readonly Match[] {
  const { text, pieces, undrawn } = textOf(content);
  const matches: Match[] = [];
  let part = 0;
  const addUndrawn = (before: number): void => {
    for (let next = undrawn[part]; next !== undefined && next.at <= before; next = undrawn[++part])
      for (let count = countIn(next.element); count > 0; count--) matches.push(next.element);
  };
  for (let at = text.indexOf(words); at !== -1 && matches.length < mostMatches; at = text.indexOf(words, at + words.length)) {
    addUndrawn(at);
    const [start, end] = [pointAt(pieces, at), pointAt(pieces, at + words.length - 1)];
    if (start === undefined || end === undefined) continue;
    const range = new Range();
    range.setStart(start.node, start.offset);
    range.setEnd(end.node, end.offset + 1);
    matches.push(range);
  }
  addUndrawn(text.length);
  return matches;
}

/** Returns the text in lower case. Only the visibility of a tool call's status depends on the width of the view. */
function textOf(content: HTMLElement): PageText {
  const pieces: Piece[] = [];
  const undrawn: UndrawnPart[] = [];
  let text = '';
  let block: Element | null | undefined;
  const enter = (element: Element): boolean => {
    const visibility = visibilityOf(element);
    const part = visibility === 'undrawn' ? element : restOfOutput(element);
    if (part !== undefined) undrawn.push({ element: part, at: text.length });
    return visibility === 'visible' || visibility === 'collapsed';
  };
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof Element && !enter(node) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!(node instanceof Text) || (parent?.className === 'tool-status-text' && !parent.checkVisibility())) continue;
    const own = parent?.closest(blocks);
    if (own !== block) text += '\n';
    block = own;
    const lower = node.data.toLowerCase();
    // Some letters become longer in lower case, but offsets must stay valid.
    pieces.push({ node, at: text.length });
    text += lower.length === node.data.length ? lower : node.data;
  }
  return { text, pieces, undrawn };
}

function pointAt(pieces: readonly Piece[], at: number): { readonly node: Text; readonly offset: number } | undefined {
  let [low, high] = [0, pieces.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((pieces[middle]?.at ?? Infinity) <= at) low = middle;
    else high = middle - 1;
  }
  const piece = pieces[low];
  if (piece === undefined) return undefined;
  const offset = at - piece.at;
  return offset >= 0 && offset < piece.node.data.length ? { node: piece.node, offset } : undefined;
}

// The text that is not in the page: that of items that are not drawn yet, and of collapsed parts, as far as it will be visible.

/** Characters of Markdown that can be inside a word. */
const marks = /[*_`~\\]/g;

/**
 * Returns for each match the position of its item. The text of an answer is compared without the marks of Markdown, so that a match may
 * turn out to be none when the item is drawn.
 * @param words in lower case
 */
export function undrawnMatches(views: readonly ItemView[], words: string): readonly number[] {
  const found: number[] = [];
  for (let index = views.length - 1; index >= 0 && found.length < mostMatches; index--) {
    const view = views[index];
    if (view === undefined) continue;
    for (let count = matchesInItem(view, words); count > 0; count--) found.push(index);
  }
  return found.reverse();
}

/** Returns the number of matches in the part of an item that is collapsed. */
export function collapsedMatches(view: ItemView, words: string): number {
  return view.kind === 'tool' ? count(bodyTexts(view, words), words) : matchesInItem(view, words);
}

/** @param visible what the card shows of the output: its last lines */
export function earlierOutputMatches({ output = '' }: ToolItemView, visible: string, words: string): number {
  const lines = output.replace(/\n$/, '').split('\n');
  return count([lines.slice(0, -visible.split('\n').length).join('\n')], words);
}

function matchesInItem(view: ItemView, words: string): number {
  switch (view.kind) {
    case 'agent':
      return countInMarkdown(textOfAgent(view), words);
    case 'thought':
      return countInMarkdown(view.text, words);
    case 'user':
      return count([view.text], words);
    case 'tool':
      return count([view.verb, view.target ?? view.title, ...bodyTexts(view, words)], words);
    case 'plan':
      return countInMarkdown(view.markdown, words);
    case 'subagent':
      return count([view.name, view.description, view.task, view.error], words);
    case 'notice':
      return count([view.title, view.description], words);
    case 'turn_end':
      return count([view.text, view.detail], words);
  }
}

function textOfAgent(view: AgentItemView): string {
  return agentTexts(view)
    .flatMap(({ markdown, attachments }) => [markdown, ...attachments.flatMap(({ label, text = '' }) => [label, text])])
    .join('\n');
}

function countInMarkdown(text: string, words: string): number {
  return count([text.replace(marks, '')], words.replace(marks, '') || words);
}

/** Without what repeats these texts: the input and the output as the agent sent them. */
function bodyTexts(view: ToolItemView, words: string): readonly (string | undefined)[] {
  return [
    view.input === view.target ? undefined : view.input,
    ...view.diffs.flatMap((diff) => changedLines(diff, words)),
    view.output,
    view.caveat,
    ...(view.locations.length < 2 ? [] : view.locations.map(({ label }) => label)),
    ...view.attachments.flatMap(({ label, text }) => [label, text]),
  ];
}

/** Returns the lines of which at least one has the words, because comparing long texts takes time. */
function changedLines({ oldText = '', newText }: DiffView, words: string): readonly string[] {
  const has = (text: string): boolean => text.toLowerCase().includes(words);
  if (!has(oldText) && !has(newText)) return [];
  const [before, after] = [oldText.split('\n'), newText.split('\n')];
  const [isOld, isNew] = [new Set(before), new Set(after)];
  return [...before.filter((line) => !isNew.has(line)), ...after.filter((line) => !isOld.has(line))];
}

function count(texts: readonly (string | undefined)[], words: string): number {
  return texts.reduce((sum, text = '') => sum + text.toLowerCase().split(words).length - 1, 0);
}
