/** Messages: what the user said, what the agent answered, thought and planned. */
import type { infer as Infer } from 'zod/mini';
import type { agentItemSchema, planItemSchema, thoughtItemSchema, userItemSchema } from '../../contract/view.js';
import { breakable, copyButton, el, icon, iconButton, setText, textButton } from '../base/dom.js';
import { formatDuration } from '../base/formatText.js';
import { onTick } from '../base/ticker.js';
import { createMarkdown } from '../markdown/markdownText.js';
import type { MarkdownText } from '../markdown/streamView.js';
import { agentTexts, copyTo, type ItemContext, type ItemNode, renderAttachments } from './itemNode.js';
import type { createMessageEdit as CreateMessageEdit, MessageEdit } from './messageEdit.js';

type UserItem = Infer<typeof userItemSchema>;
type AgentItem = Infer<typeof agentItemSchema>;
type ThoughtItem = Infer<typeof thoughtItemSchema>;

/** A chunk of its own, because few messages are edited. */
let createMessageEdit: typeof CreateMessageEdit | undefined;

/** Call this before a message is edited. @returns a promise that resolves when that is possible, and never rejects */
export function loadMessageEdit(): Promise<void> {
  return import('./messageEdit.js').then((chunk) => void ({ createMessageEdit } = chunk), reportError);
}

export function createUserItem(first: UserItem, context: ItemContext): ItemNode<UserItem> {
  const text = el('div', { class: 'user-text', dir: 'auto' }, ...breakable(first.text));
  const more = textButton('Show more', () => setText(more, text.classList.toggle('folded') ? 'Show more' : 'Show less'), 'text-button');
  const below = el('div', {});
  const fold = (): void => {
    const folds = isLong(text.textContent);
    text.classList.toggle('folded', folds);
    below.replaceChildren(...(folds ? [more] : []));
  };
  fold();
  const attachments = el('div', {}, ...renderAttachments(first.attachments));
  // The host knows whether a conversation can go on from here, and which files were changed since.
  const ask = (): void => context.post({ type: 'action', action: 'editMessage', itemId: first.id });
  let edit: MessageEdit | undefined;
  const kept = () => (context.memory.state.edit?.itemId === first.id ? context.memory.state.edit : undefined);
  const leave = (): void => {
    edit?.element.remove();
    edit = undefined;
    if (kept() !== undefined) context.memory.change({ edit: undefined });
    element.classList.remove('editing');
    element.focus();
  };
  const actions = el(
    'div',
    { class: 'item-actions' },
    iconButton('edit', 'Edit this message (F2)', ask),
    iconButton('discard', 'Restore files to here', () => context.post({ type: 'action', action: 'restoreFiles', itemId: first.id })),
    copyButton('Copy message', () => text.textContent, copyTo(context.post)),
  );
  const element = el('article', { class: 'item user', 'aria-label': 'You', tabindex: '0' }, text, below, attachments, actions);
  element.addEventListener('keydown', (event) => {
    if (event.target !== element || (event.key !== 'F2' && event.key !== 'Enter')) return;
    event.preventDefault();
    ask();
  });
  return {
    element,
    edit(restore) {
      edit ??= createMessageEdit?.({
        text: kept()?.text ?? text.textContent,
        hasAttachments: attachments.hasChildNodes(),
        restore,
        onText: (written) => context.memory.change({ edit: { itemId: first.id, text: written } }),
        send(edited, restores) {
          context.post({ type: 'sendFrom', itemId: first.id, text: edited, restores });
          leave();
        },
        leave,
      });
      if (edit === undefined) return;
      element.classList.add('editing');
      // Below what goes along, as in the composer.
      attachments.after(edit.element);
      // The page may only have come back, while the user works elsewhere.
      if (kept() === undefined || document.hasFocus()) edit.focus();
    },
    update(view) {
      if (text.textContent !== view.text) {
        setText(text, view.text);
        fold();
      }
      attachments.replaceChildren(...renderAttachments(view.attachments));
    },
    append: (added) => text.append(...breakable(added)),
  };
}

/** What a user pasted may be longer than everything else. */
function isLong(text: string): boolean {
  return text.length > 2_000 || text.split('\n', 21).length > 20;
}

export function createAgentItem(first: AgentItem, context: ItemContext): ItemNode<AgentItem> {
  const toEditor = {
    insert: (text: string): void => context.post({ type: 'insertCode', text }),
    apply: (text: string): void => context.post({ type: 'applyCode', text }),
    compare: (text: string): void => context.post({ type: 'compareCode', text }),
  };
  const parts: { readonly text: MarkdownText; readonly attachments: HTMLElement }[] = [];
  const actions = el(
    'div',
    { class: 'item-actions' },
    copyButton('Copy message', () => parts.map(({ text }) => text.text).join('\n\n'), copyTo(context.post)),
  );
  const element = el('article', { class: 'item agent', 'aria-label': context.agentName() }, actions);
  const createPart = (): (typeof parts)[number] => {
    const part = { text: createMarkdown({ ...context, copy: copyTo(context.post), toEditor }), attachments: el('div', {}) };
    parts.push(part);
    actions.before(part.text.element, part.attachments);
    return part;
  };
  const update = (view: AgentItem): void => {
    const views = agentTexts(view);
    for (const [index, { markdown, attachments }] of views.entries()) {
      const part = parts[index] ?? createPart();
      part.text.set(markdown);
      if (!view.open || index < views.length - 1) part.text.end();
      part.attachments.replaceChildren(...renderAttachments(attachments));
    }
    element.classList.toggle('streaming', view.open);
  };
  update(first);
  return {
    element,
    update,
    append: (added) => parts.at(-1)?.text.append(added),
    dispose() {
      for (const { text } of parts) text.dispose();
    },
  };
}

/**
 * Expanded while it streams, collapsed to one line at its end, unless the user decides otherwise. The text is rendered when it is first
 * visible.
 */
export function createThoughtItem(first: ThoughtItem, context: ItemContext): ItemNode<ThoughtItem> {
  const markdown = createMarkdown({ ...context, copy: copyTo(context.post) });
  const summary = el('span');
  const body = el('div', { class: 'thought-body' });
  const details = el('details', { class: 'thought-details' }, el('summary', {}, icon('chevron-right'), summary), body);
  let view = first;
  let chosen = false;
  let stopTicking: (() => void) | undefined;
  details.querySelector('summary')?.addEventListener('click', () => (chosen = true));
  details.addEventListener('toggle', () => {
    if (details.open) showBody();
  });
  const showBody = (): void => {
    if (!markdown.element.isConnected) body.append(markdown.element);
    markdown.set(view.text);
    if (!view.open) markdown.end();
  };
  const drawAge = (): void => {
    const milliseconds = (view.endedAt ?? Date.now()) - view.startedAt;
    const duration = formatDuration(milliseconds);
    setText(summary, view.open ? `Thinking · ${duration}` : milliseconds < 1000 ? 'Thought' : `Thought for ${duration}`);
  };
  const update = (next: ThoughtItem): void => {
    view = next;
    if (next.open) stopTicking ??= onTick(drawAge);
    else stopTicking = void stopTicking?.();
    drawAge();
    if (!chosen) details.open = next.open;
    if (details.open) showBody();
  };
  update(first);
  return {
    element: el('article', { class: 'item thought', 'aria-label': 'Thought' }, details),
    update,
    append(added) {
      const wasDrawn = markdown.text.length === view.text.length;
      view = { ...view, text: view.text + added };
      if (!details.open) return;
      if (wasDrawn) markdown.append(added);
      else markdown.set(view.text);
    },
    dispose() {
      stopTicking?.();
      markdown.dispose();
    },
  };
}

// A plan in Markdown: its first lines, until the user wants to read the rest.

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
    more.hidden = !isLongPlan(next.markdown);
    if (!isLongPlan(next.markdown)) body.classList.remove('cut');
    else if (more.textContent === 'Show more') body.classList.add('cut');
  };
  update(first);
  return { element, update, dispose: () => text.dispose() };
}

/** A short plan has nothing to fold. */
function isLongPlan(text: string): boolean {
  return text.length > 500 || text.split('\n', 9).length > 8;
}
