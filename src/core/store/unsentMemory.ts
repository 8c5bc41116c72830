/**
 * The drafts and unsent prompts of all conversations, for every process. Drafts have files of their own, because a draft changes while the
 * user types, and unsent prompts may have large pictures.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import type { HostError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { OutboxPrompt } from '../conversation/state.js';
import { toStorageError } from '../journal/storageError.js';
import { promptText } from '../session/content.js';
import { JsonFolder } from './jsonFolder.js';
import { formatDraft, formatUnsent, nothingUnsent, parseDraft, parseUnsent, type Unsent } from './savedFormat.js';
import { mergePrompts, type UnsentPrompts } from './unsentPrompts.js';

/** A list row has no room for more. */
const wordsChars = 200;

export interface UnsentMemoryOptions {
  /** Absolute; created if missing. */
  readonly stateFolder: string;
  readonly log: Logger;
  /** Called once when nothing can be saved, and again only after everything was. */
  readonly onError: ((error: HostError) => void) | undefined;
}

export class UnsentMemory implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #promptFiles: JsonFolder<Unsent>;
  readonly #draftFiles: JsonFolder<string>;
  /** The prompts that this process last had in each conversation. */
  readonly #prompts = new Map<string, UnsentPrompts>();
  /** The drafts that this process last had. */
  readonly #drafts = new Map<string, string>();

  constructor({ stateFolder, log, onError }: UnsentMemoryOptions) {
    const tellUnless = (isTold: () => boolean) => (cause: unknown) => {
      if (!isTold()) onError?.(toStorageError(cause, stateFolder, 'unsent_not_saved'));
    };
    this.#promptFiles = this.#owned.add(
      new JsonFolder({
        directory: join(stateFolder, 'unsent'),
        parse: parseUnsent,
        format: formatUnsent,
        log,
        onTrouble: tellUnless(() => this.#draftFiles.isWaiting),
      }),
    );
    this.#draftFiles = this.#owned.add(
      new JsonFolder({
        directory: join(stateFolder, 'drafts'),
        parse: parseDraft,
        format: formatDraft,
        log,
        onTrouble: tellUnless(() => this.#promptFiles.isWaiting),
      }),
    );
  }

  has(id: string): boolean {
    return this.#promptFiles.get(id) !== undefined || this.#draftFiles.get(id) !== undefined;
  }

  /** The beginning of the unsent text; undefined if there is none, or only white space. */
  wordsIn(id: string): string | undefined {
    const { outbox, returned } = this.#promptFiles.get(id) ?? nothingUnsent;
    const [prompt] = [...outbox, ...returned];
    const words = prompt === undefined ? this.#draftOf(id).trimStart() : promptText(prompt.content);
    return prompt === undefined && words === '' ? undefined : words.slice(0, wordsChars);
  }

  recall(id: string): UnsentPrompts | undefined {
    const { outbox, returned } = this.#promptFiles.get(id) ?? nothingUnsent;
    this.#prompts.set(id, { outbox, returned });
    return this.has(id) ? { outbox, returned } : undefined;
  }

  remember(id: string, prompts: UnsentPrompts): void {
    const before = this.#prompts.get(id);
    this.#prompts.set(id, prompts);
    this.#update(id, (unsent) => ({ ...unsent, ...mergePrompts(unsent, before, prompts) }));
  }

  readDraft(id: string): string {
    const draft = this.#draftOf(id);
    this.#drafts.set(id, draft);
    return draft;
  }

  writeDraft(id: string, text: string): void {
    this.#drafts.set(id, text);
    this.#saveDraft(id, text);
  }

  /** Does nothing if the conversation already has a draft or unsent prompts. */
  adopt(id: string, { draft, ...prompts }: Unsent): void {
    if (this.has(id)) return;
    this.#saveDraft(id, draft);
    this.#update(id, (there) => (there === nothingUnsent ? { ...there, ...prompts } : there));
  }

  /**
   * Merges what is unsent in two conversations that turned out to be one. A draft of `to` may be on screen, so the draft of `from` becomes
   * a returned prompt.
   */
  move(from: string, to: string): void {
    const { outbox, returned } = this.#promptFiles.get(from) ?? nothingUnsent;
    const draft = this.#draftOf(from);
    const prompt: OutboxPrompt = { id: randomUUID(), at: Date.now(), content: [{ type: 'text', text: draft }], held: undefined };
    this.#update(to, (unsent) => ({
      ...unsent,
      outbox: [...unsent.outbox, ...outbox],
      returned: [...unsent.returned, ...returned, ...(draft === '' ? [] : [prompt])],
    }));
    this.#drafts.delete(from);
    this.#prompts.delete(from);
    this.remove(from);
  }

  remove(id: string): void {
    this.#promptFiles.update(id, () => undefined);
    this.#draftFiles.update(id, () => undefined);
  }

  /** Saves the drafts and unsent prompts of this process again if another process deleted their conversations. */
  keep(isDeletedElsewhere: (id: string) => boolean): void {
    for (const id of new Set([...this.#drafts.keys(), ...this.#prompts.keys()])) {
      if (!isDeletedElsewhere(id) || this.has(id)) continue;
      this.#saveDraft(id, this.#drafts.get(id) ?? '');
      this.#update(id, (unsent) => ({ ...unsent, ...this.#prompts.get(id) }));
    }
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #draftOf(id: string): string {
    return this.#draftFiles.get(id) ?? this.#promptFiles.get(id)?.draft ?? '';
  }

  #saveDraft(id: string, text: string): void {
    this.#draftFiles.update(id, () => (text === '' ? undefined : text), 'draft');
    const former = this.#promptFiles.get(id)?.draft ?? '';
    // Keeps the draft that an earlier version saved until the new file is written.
    if (former !== '' && this.#draftFiles.isSaved(id)) this.#update(id, (unsent) => ({ ...unsent, draft: '' }));
  }

  #update(id: string, change: (unsent: Unsent) => Unsent): void {
    this.#promptFiles.update(id, (before = nothingUnsent) => {
      const after = change(before);
      return isNothing(after) ? undefined : after;
    });
  }
}

function isNothing({ draft, outbox, returned }: Unsent): boolean {
  return draft === '' && outbox.length === 0 && returned.length === 0;
}
