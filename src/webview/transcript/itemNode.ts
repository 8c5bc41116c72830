/** What the transcript knows about the node of an item. */
import type { AgentItemView, AgentTextView, ItemView } from '../../contract/view.js';
import type { AttachmentView, ButtonView, LocationView } from '../../contract/viewParts.js';
import { el, icon, isFirstClick, textButton } from '../base/dom.js';
import type { Post } from '../base/hostLink.js';
import type { PageMemory } from '../base/pageState.js';
import type { RestoreView } from './messageEdit.js';
import type { FileNames } from '../markdown/fileNames.js';
import type { WorkspaceImages } from '../markdown/workspaceImages.js';
import { honestLink, linkElement } from '../markdown/linkClicks.js';
import { linkIntent } from '../markdown/links.js';

export interface ItemNode<V extends ItemView> {
  readonly element: HTMLElement;
  /** Contains other items. */
  readonly inner?: HTMLElement;
  /** Updates the node to `view` without rebuilding unchanged parts. */
  update(view: V): void;
  append?(text: string): void;
  /** Makes a message of the user editable. */
  edit?(restore: RestoreView): void;
  dispose?(): void;
}

/** What nodes of items may use. */
export interface ItemContext {
  readonly post: Post;
  readonly fileNames: FileNames;
  readonly images: WorkspaceImages;
  readonly memory: Pick<PageMemory, 'state' | 'change'>;
  /** The name of the agent, for labels. */
  readonly agentName: () => string;
  /** Whether the end of the conversation is visible. If it is not, a part that shrinks does not move what the user reads. */
  readonly atEnd: () => boolean;
  /** Scrolls to the end of the conversation if the user is there. */
  readonly follow: () => void;
}

export function copyTo(post: Post): (text: string) => void {
  return (text) => post({ type: 'copy', text });
}

export function buttonRow(buttons: readonly ButtonView[], itemId: string, post: Post): HTMLElement {
  return el(
    'div',
    { class: 'button-row' },
    ...buttons.map(({ action, label }, index) =>
      textButton(
        label,
        ({ detail }) => isFirstClick(detail) && post({ type: 'action', action, itemId }),
        index === 0 && action !== 'showLog' ? 'button' : 'button secondary',
      ),
    ),
  );
}

/** Returns the parts of an answer in order. */
export function agentTexts(view: AgentItemView): readonly AgentTextView[] {
  return [...(view.earlier ?? []), view];
}

const attachmentIcons: Readonly<Record<AttachmentView['kind'], string>> = {
  image: 'file-media',
  audio: 'unmute',
  resource: 'file',
  link: 'link',
  other: 'question',
};

export function renderAttachments(attachments: readonly AttachmentView[]): HTMLElement[] {
  return attachments.length === 0 ? [] : [el('div', { class: 'attachments' }, ...attachments.map(renderAttachment))];
}

function renderAttachment({ kind, label, uri, mimeType, data, text }: AttachmentView): HTMLElement {
  if (text !== undefined) {
    return el(
      'details',
      { class: 'raw attachment-text' },
      el('summary', {}, icon('chevron-right'), icon(attachmentIcons[kind]), ` ${label}`),
      el('pre', { tabindex: '0', 'aria-label': label, dir: 'auto' }, text),
    );
  }
  // An SVG can refer to other places.
  if (kind === 'image' && data !== undefined && /^image\/(?:png|jpeg|gif|webp)$/.test(mimeType ?? ''))
    return el('img', { src: `data:${mimeType};base64,${data}`, alt: label });
  const content = [icon(attachmentIcons[kind]), ` ${label}`];
  const intent = uri === undefined ? undefined : linkIntent(uri);
  return intent === undefined ? el('span', { class: 'placeholder' }, ...content) : honestLink(intent, ...content);
}

/** Opens the file in the editor. */
export function locationLink({ path, line }: LocationView, ...content: readonly (Node | string)[]): HTMLElement {
  return linkElement(line === undefined ? { type: 'openLocation', path } : { type: 'openLocation', path, line }, ...content);
}
