/** A plan in Markdown: its first lines, until the user wants to read the rest. */
import type { planItemSchema } from '../../contract/view.js';
import type { infer as Infer } from 'zod/mini';
import { el, icon, setText, textButton } from '../base/dom.js';
import { createMarkdown } from '../markdown/markdownText.js';
import { copyTo, type ItemContext, type ItemNode } from './itemNode.js';

type PlanView = Infer<typeof planItemSchema>;

export function createPlanItem(first: PlanView, context: ItemContext): ItemNode<PlanView> {
  let view = first;
  const title = el('span', { class: 'plan-title' });
  const text = createMarkdown({ ...context, copy: copyTo(context.post) });
  const body = el('div', { class: 'plan-text cut' }, text.element);
  const more = textButton('Show more', () => setText(more, body.classList.toggle('cut') ? 'Show more' : 'Show less'), 'text-button');
  const open = (): void => {
    const { id, path } = view;
    context.post(path === undefined ? { type: 'openRaw', id, part: 'output' } : { type: 'openLocation', path });
  };
  const head = el('div', { class: 'plan-item-head' }, icon('checklist'), title, textButton('Open', open, 'text-button'));
  const element = el('article', { class: 'item plan-item' }, head, body, more);
  const update = (next: PlanView): void => {
    view = next;
    setText(title, next.title);
    element.setAttribute('aria-label', next.title);
    text.set(next.markdown);
    text.end();
    more.hidden = !isLong(next.markdown);
    if (!isLong(next.markdown)) body.classList.remove('cut');
    else if (more.textContent === 'Show more') body.classList.add('cut');
  };
  update(first);
  return { element, update, dispose: () => text.dispose() };
}

/** A short plan has nothing to fold. */
function isLong(text: string): boolean {
  return text.length > 500 || text.split('\n', 9).length > 8;
}
