/** The text that the user is writing: drafts, sending, and recalling earlier prompts. It uses no DOM except the text box. */
import { signal, type Signal } from '@preact/signals';
import type { PageMessage } from '../../contract/pageMessages.js';
import type { ComposerView, ItemView, SelectorView } from '../../contract/view.js';
import type { Post } from '../base/hostLink.js';
import type { PageMemory } from '../base/pageState.js';
import type { Sections } from '../base/store.js';

/** The host saves the draft too, because the page may be discarded. */
const draftDelayMs = 300;
/** The time that the browser takes for a text as if it was typed grows with the square of its lines. */
const mostTypedLines = 50;

interface SendOptions {
  readonly steers?: boolean;
}

export interface ComposerModel {
  readonly text: Signal<string>;
  /** The files that match what was last typed after `@`. */
  readonly suggestedFiles: Signal<readonly string[]>;
  /** Why what the user wanted to add is not there; empty: nothing was refused. */
  readonly refused: Signal<string>;
  /** The id of the selector of the mode, from a change of it to the next message. */
  readonly changedMode: Signal<string | undefined>;
  /** Puts the picture of a chip into an element, once it is here. */
  readonly showPicture: (chipId: string, element: Element) => void;
  /** There is something to send. */
  hasMessage(): boolean;
  /** The text box while it is in the page, by the component. Each conversation has one of its own, because Ctrl+Z works in one box. */
  readonly box: Signal<{ current: HTMLTextAreaElement | null }>;
  setText(text: string): void;
  /** Puts a text below the draft. @param promptId the prompt that was not sent */
  takeBack(text: string, promptId: string | undefined): void;
  /** Puts a text in the place of what is between `start` and `end`, and the caret after it. */
  replace(start: number, end: number, text: string): void;
  /** Adds what the user typed elsewhere to the draft, which gets the focus. What is selected there stays. */
  write(text: string): void;
  /** Puts a text above the draft, for the user to edit. */
  edit(text: string): void;
  /** Call this with what the user wrote in another page, or with the draft that was not in the snapshot. */
  adopt(draft: string): void;
  focus(): void;
  /**
   * Posts a part of the message when it was read, for the conversation in which it was added. Send waits for it.
   * @param part must not reject; why it can't be attached, as a text for this conversation
   */
  attach(part: Promise<PageMessage | string | void>): void;
  /** @returns false if there is nothing to send, or if nothing can be sent now */
  send(o?: SendOptions): boolean;
  /**
   * Recalls an older (-1) or newer (1) prompt.
   * @returns false if the user wrote the text
   */
  recall(step: -1 | 1): boolean;
  /** Call this before another conversation is shown: passes the draft to the host and empties the box. */
  leave(): void;
  /** Call this after a snapshot: restores a draft, and above it the messages that were sent and never arrived. */
  restore(hostDraft: string): void;
  /** Call this before a patch of the composer. */
  noteMode(next: ComposerView): void;
  /** Call this after a patch: forgets the sent messages that the conversation contains. */
  confirm(): void;
}

export interface ComposerOptions {
  readonly post: Post;
  readonly memory: PageMemory;
  readonly sections: Sections;
  readonly items: () => readonly ItemView[];
  readonly showPicture: ComposerModel['showPicture'];
}

export function createComposerModel({ post, memory, sections, items, showPicture }: ComposerOptions): ComposerModel {
  const text = signal('');
  const refused = signal('');
  const box: ComposerModel['box'] = signal({ current: null });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let restored = false;
  /** The parts of the message that are still being read. */
  const reading = new Set<Promise<unknown>>();
  const suggestedFiles = signal<readonly string[]>([]);
  const changedMode = signal<string>();
  /** The user sends before the draft of the conversation is here, or before all parts are read. */
  let sendWhenReady: SendOptions | undefined;
  let recalled: { readonly text: string; readonly fromEnd: number } | undefined;
  // As if it was typed: the browser can't undo what a script sets, and would redo other texts in its place.
  text.subscribe((next) => {
    const element = box.value.current;
    if (!element?.matches(':focus') || element.value === next) return;
    if (next.split('\n').length > mostTypedLines) return void (element.value = next);
    // Only from where it differs: undoing it selects what it replaced, and what is typed next would replace that.
    let start = 0;
    while (element.value[start] === next[start]) start++;
    // The browser writes no part of a character in its middle, such as that of an emoji.
    while (start > 0 && /[\p{M}\p{C}]/u.test(`${next[start]}${element.value[start]}`)) start--;
    element.setSelectionRange(start, element.value.length);
    document.execCommand('insertText', false, next.slice(start));
  });

  const postDraft = (): void => {
    clearTimeout(timer);
    timer = undefined;
    post({ type: 'draft', text: text.value });
  };
  const setText = (next: string): void => {
    text.value = next;
    // The draft of the conversation is not here yet, and must not be replaced.
    if (!restored) return;
    memory.change({ draft: next });
    timer ??= setTimeout(() => {
      postDraft();
      // From now on, the host has the draft, and another page may change it there.
      memory.change({ draft: undefined });
    }, draftDelayMs);
  };
  const place = (next: string, caret = next.length): void => {
    // A message that returns must not take the focus from another part of the editor.
    if (document.hasFocus()) box.value.current?.focus();
    setText(next);
    box.value.current?.setSelectionRange(caret, caret);
  };
  const replace = (start: number, end: number, added: string): void =>
    place(text.value.slice(0, start) + added + text.value.slice(end), start + added.length);
  /** What was sent and has not arrived. */
  const missing = () => {
    const { sent = [] } = memory.state;
    const waiting = [...sections.queue.value, ...sections.held.value.flatMap(({ prompts }) => prompts)].map(({ id }) => id);
    const arrived = new Set([...waiting, ...items().map((item) => item.kind === 'user' && item.promptId)]);
    return sent.filter(({ id }) => !arrived.has(id));
  };
  const hasMessage = (): boolean =>
    text.value.trim() !== '' || sections.composer.value.chips.some(({ holds }) => holds === 'pastedText' || holds === 'notes');
  const send: ComposerModel['send'] = (o = {}) => {
    const prompt = text.value.trim();
    if (!hasMessage() || sections.composer.value.disabledReason !== undefined) return false;
    if (!restored || reading.size > 0) {
      sendWhenReady = o;
      return true;
    }
    const id = crypto.randomUUID();
    post({ type: 'send', id, text: prompt, ...(o.steers === true && sections.composer.value.steers === true ? { steers: true } : {}) });
    recalled = undefined;
    text.value = '';
    changedMode.value = undefined;
    memory.change({ draft: '', sent: [...missing(), ...(prompt === '' ? [] : [{ id, text: prompt }])] });
    postDraft();
    return true;
  };
  const sendIfReady = (): void => {
    const waiting = sendWhenReady;
    sendWhenReady = undefined;
    if (waiting !== undefined) send(waiting);
  };
  const restore = (hostDraft: string): void => {
    if (restored) return;
    restored = true;
    const { draft } = memory.state;
    const kept = draft === undefined || draft === '' ? hostDraft : draft;
    const lost = missing().map((message) => message.text);
    memory.change({ sent: undefined });
    sendIfReady();
    // What was typed while the page was loading comes last.
    const found = joined([...lost, kept, text.value], '\n');
    if (found !== '') setText(found);
  };
  // A page that is about to be hidden can post a message now for the last time.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden && timer !== undefined) postDraft();
  });

  return {
    text,
    refused,
    showPicture,
    hasMessage,
    suggestedFiles,
    changedMode,
    box,
    setText,
    replace,
    takeBack(returned, promptId) {
      // It is in the draft from now on, and must not return a second time after a reload.
      memory.change({ sent: memory.state.sent?.filter(({ id }) => id !== promptId) });
      place(joined([text.value.trimEnd(), returned], '\n\n'));
    },
    write: (typed) => place(text.value + typed),
    edit: (added) => place(joined([added, text.value], '\n')),
    adopt(draft) {
      if (!restored) restore(draft);
      else if (timer === undefined && !document.hasFocus()) text.value = draft;
    },
    focus: () => box.value.current?.focus(),
    send,
    attach(part) {
      const { conversation } = memory;
      reading.add(part);
      void part.then((message) => {
        // Another conversation forgets the parts of this one.
        const isShown = reading.delete(part);
        if (typeof message === 'object') post({ ...message, ...(conversation !== undefined && { conversation }) });
        else if (message && isShown) refused.value = message;
        sendIfReady();
      });
    },
    recall(step) {
      if (text.value !== '' && text.value !== recalled?.text) return false;
      const prompts = [...sentPrompts(items()), ...missing().map((message) => message.text)];
      const fromEnd = (recalled?.fromEnd ?? 0) - step;
      if (fromEnd > prompts.length || (fromEnd <= 0 && recalled === undefined)) return false;
      // None is after the last one.
      const prompt = prompts[prompts.length - fromEnd] ?? '';
      recalled = fromEnd <= 0 ? undefined : { text: prompt, fromEnd };
      place(prompt);
      return true;
    },
    leave() {
      if (timer !== undefined) postDraft();
      restored = false;
      recalled = undefined;
      sendWhenReady = undefined;
      reading.clear();
      suggestedFiles.value = [];
      changedMode.value = undefined;
      refused.value = '';
      box.value = { current: null };
      text.value = '';
    },
    restore,
    noteMode(next) {
      const mode = modeOf(next);
      const before = modeOf(sections.composer.value);
      if (mode !== undefined && before !== undefined && mode.value !== before.value) changedMode.value = mode.id;
    },
    confirm() {
      const { sent = [] } = memory.state;
      const left = missing();
      if (left.length < sent.length) memory.change({ sent: left });
    },
  };
}

function modeOf({ selectors }: ComposerView): SelectorView | undefined {
  return selectors.find(({ category }) => category === 'mode');
}

function joined(parts: readonly string[], separator: string): string {
  return parts.filter(Boolean).join(separator);
}

function sentPrompts(items: readonly ItemView[]): string[] {
  return items
    .filter((item) => item.kind === 'user')
    .map((item) => item.text)
    .filter((prompt) => prompt !== '');
}
