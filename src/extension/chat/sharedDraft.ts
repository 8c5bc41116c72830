import { randomUUID } from 'node:crypto';
import type { ContextChipView } from '../../contract/view.js';
import {
  changeDraft,
  type Chip,
  type ConversationClient,
  type Disposable,
  type DraftChange,
  Emitter,
  fenced,
  type Hunk,
} from '../../core/index.js';
import { commentText, type LinesOfFile, placeText, undoneText } from '../../text/changesText.js';
import { shorten } from '../../text/plainText.js';
import { counted } from '../../text/sentence.js';

const prefix = 'pasted-text:';
const titleChars = 200;

/** A long text that the user pasted: a chip instead of hundreds of lines in the composer. The agent gets it as text. */
export function pastedTextChip(text: string): Chip {
  return textChip('Pasted text', text, text);
}

/** The text of a file that is nowhere in the workspace. */
export function droppedTextChip(name: string, text: string): Chip {
  return textChip(name, text, `${name}:\n${fenced(text)}`);
}

/** What the user selected in a terminal, as the same kind of chip. */
export function terminalTextChip(selected: string): Chip {
  return textChip('Terminal', selected, `Selected in the terminal:\n${fenced(selected.trimEnd())}`);
}

/** @param text what the agent gets */
function textChip(name: string, shown: string, text: string): Chip {
  const lines = shown.trimEnd().split('\n').length;
  return {
    id: `${prefix}${randomUUID()}`,
    label: `${name} · ${counted(lines, 'line')}`,
    title: shorten(shown, titleChars),
    content: { type: 'text', text },
  };
}

/** @param id of a chip */
export function isPastedText(id: string): boolean {
  return id.startsWith(prefix);
}

interface Pending {
  readonly change: DraftChange;
  /** The engine could not be reached. */
  isFailed: boolean;
}

/**
 * The draft of a conversation, which every front end may change. What is changed here is visible at once, and takes precedence until the
 * engine has it.
 */
export class SharedDraft implements Disposable {
  readonly #conversation: ConversationClient;
  readonly #onText = new Emitter<string>();
  /** In the order in which they were made. */
  #pending: readonly Pending[] = [];
  /** What the pages of this window have; undefined while there is nothing to have. */
  #told: string | undefined;

  constructor(conversation: ConversationClient) {
    this.#conversation = conversation;
    this.#told = this.text;
  }

  /** Fires when the text was changed by another front end, or was restored. */
  readonly onText = this.#onText.event;

  /** Undefined until what was saved is restored. */
  get text(): string | undefined {
    return this.#conversation.state.isRestored ? this.#content.text : undefined;
  }

  get chips(): readonly Chip[] {
    return this.#content.chips;
  }

  change(change: DraftChange): void {
    if (change.type === 'write_draft') {
      this.#told = change.text;
      this.#pending = this.#pending.filter((one) => !(one.isFailed && one.change.type === 'write_draft'));
    }
    const pending = { change, isFailed: false };
    this.#pending = [...this.#pending, pending];
    void this.#send(pending);
  }

  /** Call this when more than what the agent says changed in the conversation. */
  refresh(): void {
    for (const one of this.#pending) if (one.isFailed) void this.#send(one);
    this.#tell();
  }

  dispose(): void {
    this.#onText.dispose();
  }

  get #content() {
    return this.#pending.reduce((draft, { change }) => changeDraft(draft, change), this.#conversation.state.draft);
  }

  /** What fails is sent again when the conversation is back, unless a later text replaces it. */
  async #send(pending: Pending): Promise<void> {
    pending.isFailed = false;
    const { ok } = await this.#conversation.execute(pending.change);
    const later = this.#pending.slice(this.#pending.indexOf(pending) + 1);
    const isReplaced = pending.change.type === 'write_draft' && later.some(({ change }) => change.type === 'write_draft');
    if (ok || isReplaced) this.#pending = this.#pending.filter((one) => one !== pending);
    else pending.isFailed = true;
    this.#tell();
  }

  #tell(): void {
    const { text } = this;
    if (text === undefined || text === this.#told) return;
    this.#told = text;
    this.#onText.fire(text);
  }
}

// What the user said while reviewing: chips of the draft, one for each note, which the composer shows as one.

const notePrefix = 'note:';
/** The id of the chip for all notes of a draft. */
export const notesChipId = 'notes';

export function undoneChip(lines: LinesOfFile, hunk: Hunk): Chip {
  const label = `Undone: ${placeText(lines)}`;
  return { id: notePrefix + randomUUID(), label, title: label, content: { type: 'text', text: undoneText(lines, hunk) } };
}

/** @param code the lines that it is about */
export function commentChip(lines: LinesOfFile, text: string, code: readonly string[]): Chip {
  const place = placeText(lines);
  return {
    id: notePrefix + randomUUID(),
    label: `Comment: ${place}`,
    title: `${place}: ${text}`,
    content: { type: 'text', text: commentText(lines, text, code) },
    comment: { ...lines, text },
  };
}

export function isNote({ id }: Pick<Chip, 'id'>): boolean {
  return id.startsWith(notePrefix);
}

/** Returns one chip for all notes; none if there are none. */
export function notesView(notes: readonly Chip[]): readonly ContextChipView[] {
  if (notes.length === 0) return [];
  const title = ['Sent with your next message:', ...notes.map((note) => note.title)].join('\n');
  return [{ id: notesChipId, label: counted(notes.length, 'note'), title, holds: 'notes' }];
}

/** Returns what the agent will read. */
export function notesText(notes: readonly Chip[]): string {
  return notes.flatMap(({ content }) => (content.type === 'text' ? [content.text] : [])).join('\n\n');
}
