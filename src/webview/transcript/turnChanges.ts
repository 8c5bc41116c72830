/** What a turn changed: one line with what can be done about all of it, and below it, on demand, a row for each file. */
import type { ChangedFileView, ChangesView, CountsView } from '../../contract/viewParts.js';
import { revealOnOneLine } from '../../core/base/hiddenText.js';
import { el, icon, iconButton, isFirstClick, textButton } from '../base/dom.js';
import { countOf } from '../base/formatText.js';
import type { ItemContext } from './itemNode.js';

const statusIcons: Readonly<Record<ChangedFileView['status'], string>> = {
  added: 'diff-added',
  modified: 'diff-modified',
  deleted: 'diff-removed',
  renamed: 'diff-renamed',
};

let lastListNumber = 0;

/** Its parts keep their nodes while they are updated, so that the keyboard focus stays. */
export class TurnChanges {
  readonly #rows = el('ul', { class: 'changed-files', role: 'list', 'aria-label': 'Changed files' });
  readonly #notes = el('div', { class: 'changes-notes' });
  readonly #counts = el('span', { class: 'counts' });
  readonly #actions = el('span', { class: 'changes-actions' });
  readonly #toggle: HTMLButtonElement;
  /** The line. */
  readonly head: HTMLElement;
  /** The rows. */
  readonly body = el('div', { class: 'changes-body', id: `changes-${++lastListNumber}`, hidden: '' }, this.#rows, this.#notes);
  readonly #itemId: string;
  readonly #post: ItemContext['post'];
  readonly #drawn = new Map<string, { readonly view: string; readonly element: HTMLElement }>();
  #drawnActions = '';
  #view: ChangesView | undefined;

  /** @param itemId that of the end of the turn */
  constructor(itemId: string, { post }: ItemContext) {
    this.#itemId = itemId;
    this.#post = post;
    this.#toggle = el(
      'button',
      { type: 'button', class: 'changes-toggle', 'aria-expanded': 'false', 'aria-controls': this.body.id },
      icon('chevron-right'),
      this.#counts,
    );
    this.#toggle.addEventListener('click', () => {
      const isOpen = this.body.hidden;
      this.body.hidden = !isOpen;
      this.#toggle.setAttribute('aria-expanded', String(isOpen));
      this.#drawRows();
    });
    this.head = el('div', { class: 'changes-head' }, this.#toggle, this.#actions);
  }

  update(view: ChangesView): void {
    this.#view = view;
    this.#counts.replaceChildren(view.counts.files, ' ', ...lineCounts(view.counts));
    this.#toggle.title = `${view.counts.files}: ${countOf(view.counts.added, 'line', 'lines')} added, ${view.counts.removed} removed`;
    this.#drawActions(view);
    this.#drawRows();
  }

  #drawActions({ isUndone, buttons }: ChangesView): void {
    const drawn = JSON.stringify([isUndone, buttons]);
    if (drawn === this.#drawnActions) return;
    this.#drawnActions = drawn;
    const hadFocus = this.#actions.contains(document.activeElement);
    const parts = [
      ...(isUndone === true ? ['Undone'] : []),
      ...buttons.map(({ action, label }) =>
        textButton(
          label,
          ({ detail }) => isFirstClick(detail) && this.#post({ type: 'action', action, itemId: this.#itemId }),
          'text-button',
        ),
      ),
    ];
    this.#actions.replaceChildren(...parts.flatMap((part) => [el('span', { class: 'dot', 'aria-hidden': 'true' }, '·'), part]));
    if (hadFocus) (this.#actions.querySelector('button') ?? this.#toggle).focus();
  }

  /** Draws nothing while it is collapsed: a conversation may have thousands of files. */
  #drawRows(): void {
    if (this.#view === undefined || this.body.hidden) return;
    const { files, more, notes } = this.#view;
    for (const file of files) this.#drawRow(file);
    const paths = new Set(files.map(({ path }) => path));
    for (const [path, { element }] of this.#drawn)
      if (!paths.has(path)) {
        this.#drawn.delete(path);
        element.remove();
      }
    this.#notes.replaceChildren(...[more, ...notes].flatMap((note) => (note === undefined ? [] : [el('div', { dir: 'auto' }, note)])));
  }

  #drawRow(file: ChangedFileView): void {
    const before = this.#drawn.get(file.path);
    const view = JSON.stringify(file);
    if (before?.view === view) return;
    const hadFocus = before?.element.contains(document.activeElement) === true;
    const element = this.#createRow(file);
    if (before === undefined) this.#rows.append(element);
    else before.element.replaceWith(element);
    this.#drawn.set(file.path, { view, element });
    if (hadFocus) [...element.querySelectorAll('button')].at(-1)?.focus();
  }

  #createRow({ path, status, added, removed, notes, isUndone, isFixed }: ChangedFileView): HTMLElement {
    const act =
      (type: 'openChange' | 'undoFile' | 'redoFile') =>
      ({ detail }: MouseEvent): void => {
        if (isFirstClick(detail)) this.#post({ type, itemId: this.#itemId, path });
      };
    const shown = revealOnOneLine(path);
    const slash = shown.lastIndexOf('/') + 1;
    const name = textButton(shown.slice(slash), act('openChange'), 'link changed-name');
    name.title = shown;
    const buttons =
      isFixed === true
        ? []
        : [
            iconButton('diff', `Open Diff: ${shown}`, act('openChange')),
            isUndone === true
              ? iconButton('redo', `Redo File: ${shown}`, act('redoFile'))
              : iconButton('discard', `Undo File: ${shown}`, act('undoFile')),
          ];
    return el(
      'li',
      { class: isUndone === true ? 'changed-file undone' : 'changed-file' },
      icon(statusIcons[status]),
      name,
      el('span', { class: 'changed-folder', dir: 'ltr', title: shown }, shown.slice(0, Math.max(0, slash - 1))),
      el('span', { class: 'counts' }, ...(added + removed === 0 ? [] : lineCounts({ added, removed }))),
      el('span', { class: 'changed-actions' }, ...buttons),
      ...(notes.length === 0 ? [] : [el('span', { class: 'changed-notes', dir: 'auto' }, notes.join(' · '))]),
    );
  }
}

/** "+12 −3". */
export function lineCounts({ added, removed }: Omit<CountsView, 'files'>): readonly (Node | string)[] {
  return [el('span', { class: 'count-added' }, `+${added}`), ' ', el('span', { class: 'count-removed' }, `−${removed}`)];
}
