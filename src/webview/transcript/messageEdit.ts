/** A message of the user that is edited in its place. */
import type { HostMessage } from '../../contract/messages.js';
import { el, isFirstClick, textButton } from '../base/dom.js';

export type RestoreView = Extract<HostMessage, { type: 'editMessage' }>['restore'];

export interface MessageEdit {
  readonly element: HTMLElement;
  focus(): void;
}

export interface MessageEditParts {
  readonly text: string;
  /** There is something to send without a text. */
  readonly hasAttachments: boolean;
  readonly restore: RestoreView;
  /** Called with the text whenever the user changes it. */
  onText(text: string): void;
  /** @param restores with the files from before the message */
  send(text: string, restores: boolean): void;
  leave(): void;
}

/** Enter sends the message again, as in the composer, and Escape leaves it as it is. */
export function createMessageEdit({ text, hasAttachments, restore, onText, send, leave }: MessageEditParts): MessageEdit {
  const box = el('textarea', { class: 'answer', 'aria-label': 'Edit message', rows: '1', dir: 'auto' });
  box.value = text;
  box.addEventListener('input', () => onText(box.value));
  const restores = el('input', { type: 'checkbox' });
  restores.checked = true;
  const submit = (): void => {
    const edited = box.value.trim();
    if (edited !== '' || hasAttachments) send(edited, restore !== undefined && restores.checked);
  };
  const element = el(
    'div',
    { class: 'message-edit' },
    box,
    ...(restore === undefined
      ? []
      : [
          el(
            'label',
            { class: 'message-edit-restore', title: restore.files },
            restores,
            el('span', {}, restore.label),
            el('span', { class: 'message-edit-files' }, restore.files),
          ),
        ]),
    el(
      'div',
      { class: 'button-row' },
      textButton('Rewind', ({ detail }) => isFirstClick(detail) && submit()),
      textButton('Cancel', leave, 'button secondary'),
    ),
    // At the end, because a low view cuts it.
    el('div', { class: 'message-edit-note' }, 'Continues in a new conversation from here. This one stays in the list.'),
  );
  element.addEventListener('keydown', (event) => {
    // While an input method composes, the keys belong to it; older ones report 229.
    if (event.isComposing || event.keyCode === 229) return;
    const isPlain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
    if (event.key === 'Escape') leave();
    else if (event.key === 'Enter' && isPlain && event.target === box) submit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return {
    element,
    focus() {
      box.focus();
      box.setSelectionRange(box.value.length, box.value.length);
    },
  };
}
