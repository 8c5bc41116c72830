/** The text that is not in the page: that of items that are not drawn yet, and of collapsed parts, as far as it will be visible. */
import type { AgentItemView, ItemView, ToolItemView } from '../../contract/view.js';
import type { DiffView } from '../../contract/viewParts.js';
import { mostMatches } from './findText.js';
import { agentTexts } from './itemNode.js';

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
