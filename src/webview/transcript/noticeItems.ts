/** Lines of the host itself: notices, and the end of a turn, with what is read aloud then. */
import type { infer as Infer } from 'zod/mini';
import type { Op } from '../../contract/messages.js';
import type { ItemView, noticeItemSchema, turnEndItemSchema } from '../../contract/view.js';
import { copyButton, el, icon } from '../base/dom.js';
import { formatDuration } from '../base/formatText.js';
import { agentTexts, buttonRow, copyTo, type ItemContext, type ItemNode, locationLink } from './itemNode.js';
import { TurnChanges } from './turnChanges.js';

type NoticeItem = Infer<typeof noticeItemSchema>;
type TurnEndItem = Infer<typeof turnEndItemSchema>;

export function createNoticeItem(first: NoticeItem, context: ItemContext): ItemNode<NoticeItem> {
  const element = el('article', { class: 'item notice' });
  const update = ({ id, severity, title, description, folds = false, heads = false, buttons }: NoticeItem): void => {
    element.setAttribute('aria-label', title);
    if (heads) {
      element.className = 'item heading-line';
      element.replaceChildren(el('span', {}, title));
      return;
    }
    if (folds) {
      element.className = 'item fold-line';
      element.replaceChildren(foldedNotice(title, description));
      return;
    }
    element.className = `item notice ${severity}`;
    element.replaceChildren(
      icon(severity),
      el(
        'div',
        { class: 'notice-text' },
        el('div', { class: 'notice-title', dir: 'auto' }, title),
        ...(description === undefined ? [] : [el('div', { class: 'notice-description', dir: 'auto' }, description)]),
        ...(buttons.length === 0 ? [] : [buttonRow(buttons, id, context.post)]),
      ),
    );
  };
  update(first);
  return { element, update };
}

function foldedDetail(detail: string, context: ItemContext): HTMLElement {
  const text = el('pre', { tabindex: '0', 'aria-label': 'Details', dir: 'ltr' }, detail);
  return el(
    'details',
    { class: 'raw' },
    el('summary', {}, icon('chevron-right'), 'Details'),
    el(
      'div',
      { class: 'tool-code' },
      text,
      copyButton('Copy details', () => detail, copyTo(context.post)),
    ),
  );
}

function foldedNotice(title: string, description = ''): HTMLElement {
  return el(
    'details',
    { class: 'fold' },
    el('summary', {}, icon('chevron-right'), el('span', { dir: 'auto' }, title)),
    el('div', { class: 'fold-text', dir: 'auto' }, description),
  );
}

export function createTurnEndItem(first: TurnEndItem, context: ItemContext): ItemNode<TurnEndItem> {
  const line = el('div', { class: 'turn-end-line' });
  const element = el('div', {}, line);
  let changed: TurnChanges | undefined;
  const update = ({ id, severity, text, detail, durationMs, waitedMs = 0, files, changes, note, buttons }: TurnEndItem): void => {
    element.className = `item turn-end ${severity}`;
    const words: (Node | string)[] = text === undefined ? [] : [text];
    // Alone, the user's own time says nothing about the turn.
    const waited = waitedMs >= 1000 ? `, you ${formatDuration(waitedMs)}` : '';
    if (durationMs >= 1000) words.push(el('span', { class: 'age' }, text === undefined ? '' : ' · ', formatDuration(durationMs) + waited));
    if (changes !== undefined) {
      changed ??= new TurnChanges(id, context);
      changed.update(changes);
      // A long text has lines of its own.
      const place = text === undefined ? line : element;
      if (changed.head.parentElement !== place) place.prepend(changed.head);
      if (!changed.body.isConnected) line.after(changed.body);
    }
    replaceOthers(
      line,
      [changed?.head],
      ...(text === undefined || severity === 'info' ? [] : [icon(severity)]),
      ...(words.length === 0 ? [] : [el('span', { dir: 'auto' }, ...words)]),
    );
    replaceOthers(
      element,
      [line, changed?.head, changed?.body],
      ...(files.length === 0
        ? []
        : [
            el(
              'div',
              { class: 'turn-end-files' },
              'Files it may have changed: ',
              ...files.flatMap((file, index) => [...(index === 0 ? [] : [', ']), locationLink(file, file.label)]),
            ),
          ]),
      ...(note === undefined ? [] : [el('div', { class: 'turn-end-note', dir: 'auto' }, note)]),
      ...(detail === undefined ? [] : [foldedDetail(detail, context)]),
      ...(buttons.length === 0 ? [] : [buttonRow(buttons, id, context.post)]),
    );
  };
  update(first);
  return { element, update };
}

/** Replaces what follows the nodes that stay. Moving one of these would remove the focus from it. */
function replaceOthers(parent: HTMLElement, kept: readonly (Node | undefined)[], ...others: readonly Node[]): void {
  for (const node of [...parent.childNodes]) if (!kept.includes(node)) node.remove();
  parent.append(...others);
}

// What is read aloud when a turn ends: the whole answer once, instead of each piece.

interface Drawn {
  readonly view: ItemView;
  readonly element: HTMLElement;
}

/**
 * @param items those in the page, oldest first
 * @param said the ids of earlier ends, which are not announced again when they are redrawn
 * @returns undefined if no turn ended in these operations
 */
export function turnEndText(ops: readonly Op[], items: () => readonly Drawn[], said: ReadonlySet<string>): string | undefined {
  const end = ops
    .map((op) => (op.op === 'item' && op.item.kind === 'turn_end' ? op.item : undefined))
    .findLast((item) => item !== undefined && !said.has(item.id));
  if (end === undefined) return undefined;
  const all = items();
  const index = all.findLastIndex(({ view }) => view.kind === 'turn_end');
  // The item precedes the end of a later turn.
  if (all[index]?.view.id !== end.id) return undefined;
  const text = end.text ?? '';
  const last = all.slice(0, index).findLast(({ view: { kind } }) => kind === 'turn_end' || kind === 'agent');
  // Without the signs of Markdown, unless it is not drawn yet.
  const reply =
    last?.view.kind === 'agent'
      ? wordsIn(last.element) ||
        agentTexts(last.view)
          .map(({ markdown }) => markdown)
          .join('\n')
      : '';
  if (text !== '' && reply !== '') return `${text.replace(/\.$/, '')}. ${reply}`;
  return text || reply || 'The turn has ended';
}

/** `innerText` leaves out what the browser skips because it is not visible: of a long answer, the beginning. */
function wordsIn(element: HTMLElement): string {
  const beginning = element.querySelector('.markdown-group')?.classList;
  beginning?.add('measured');
  const words = element.innerText;
  beginning?.remove('measured');
  return words;
}

export function turnEndsIn(items: readonly ItemView[]): Set<string> {
  return new Set(items.flatMap(({ kind, id }) => (kind === 'turn_end' ? [id] : [])));
}
