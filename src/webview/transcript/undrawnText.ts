/** The text of items that are not in the page yet, as far as it will be visible. */
import type { ItemView } from '../../contract/view.js';
import { mostMatches } from './findText.js';

/** Characters of Markdown that can be inside a word. */
const marks = /[*_`~\\]/g;

/**
 * Returns for each match the position of its item. The text of an answer is compared without the marks of Markdown, so that a match may
 * turn out to be none when the item is drawn.
 * @param words in lower case
 */
export function matchesIn(views: readonly ItemView[], words: string): readonly number[] {
  const found: number[] = [];
  const plainWords = words.replace(marks, '') || words;
  for (let index = views.length - 1; index >= 0 && found.length < mostMatches; index--) {
    const view = views[index];
    if (view === undefined) continue;
    const [text, sought] = view.kind === 'agent' ? [view.markdown.replace(marks, ''), plainWords] : [visibleText(view), words];
    for (let count = text.toLowerCase().split(sought).length; count > 1; count--) found.push(index);
  }
  return found.reverse();
}

function visibleText(view: Exclude<ItemView, { kind: 'agent' }>): string {
  switch (view.kind) {
    case 'user':
      return view.text;
    case 'thought':
      return '';
    case 'tool': {
      const head = `${view.verb}\n${view.target ?? view.title}`;
      return view.status === 'failed' || view.status === 'rejected' ? `${head}\n${view.input ?? ''}\n${view.output ?? ''}` : head;
    }
    case 'notice':
      return view.folds === true ? view.title : `${view.title}\n${view.description ?? ''}`;
    case 'turn_end':
      return view.text ?? '';
  }
}
