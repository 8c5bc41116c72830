/**
 * The drafts, their chips, and the unsent prompts of all conversations, for every process. Drafts have files of their own, because a draft
 * changes while the user types, and chips and unsent prompts may have large pictures.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import type { HostError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { OutboxPrompt } from '../conversation/state.js';
import { toStorageError } from '../journal/storageError.js';
import { type ContentBlock, promptText } from '../session/content.js';
import { JsonFolder, type JsonFolderOptions } from './jsonFolder.js';
import {
  type Chip,
  formatChips,
  formatDraft,
  formatUnsent,
  nothingUnsent,
  parseChips,
  parseDraft,
  parseUnsent,
  type Unsent,
} from './savedFormat.js';
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

/** Changes the chips beside a draft; another process may have changed them meanwhile. Pure. */
export type ChipsChange = (chips: readonly Chip[]) => readonly Chip[];

export class UnsentMemory implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #promptFiles: JsonFolder<Unsent>;
  readonly #draftFiles: JsonFolder<string>;
  readonly #chipFiles: JsonFolder<readonly Chip[]>;
  /** The prompts that this process last had in each conversation. */
  readonly #prompts = new Map<string, UnsentPrompts>();
  /** The drafts that this process last had. */
  readonly #drafts = new Map<string, string>();
  /** The chips that this process last had. */
  readonly #chips = new Map<string, readonly Chip[]>();

  constructor({ stateFolder, log, onError }: UnsentMemoryOptions) {
    const open = <T>(name: string, format: Pick<JsonFolderOptions<T>, 'parse' | 'format'>): JsonFolder<T> => {
      const folder: JsonFolder<T> = new JsonFolder({
        directory: join(stateFolder, name),
        ...format,
        log,
        onTrouble: (cause) => {
          const isTold = this.#folders.some((one) => one !== folder && one.isWaiting);
          if (!isTold) onError?.(toStorageError(cause, stateFolder, 'unsent_not_saved'));
        },
      });
      return this.#owned.add(folder);
    };
    this.#promptFiles = open('unsent', { parse: parseUnsent, format: formatUnsent });
    this.#draftFiles = open('drafts', { parse: parseDraft, format: formatDraft });
    this.#chipFiles = open('chips', { parse: parseChips, format: formatChips });
  }

  has(id: string): boolean {
    return this.#folders.some((files) => files.get(id) !== undefined);
  }

  /** The beginning of the unsent text, or the label of the first chip; undefined if there is neither, or only white space. */
  wordsIn(id: string): string | undefined {
    const { outbox, returned } = this.#promptFiles.get(id) ?? nothingUnsent;
    const [prompt] = [...outbox, ...returned];
    const words = prompt === undefined ? this.#draftOf(id).trimStart() || this.#chipFiles.get(id)?.[0]?.label : promptText(prompt.content);
    return words?.slice(0, wordsChars);
  }

  recall(id: string): UnsentPrompts | undefined {
    const { outbox, returned } = this.#promptFiles.get(id) ?? nothingUnsent;
    this.#prompts.set(id, { outbox, returned });
    return this.has(id) ? { outbox, returned } : undefined;
  }

  remember(id: string, prompts: UnsentPrompts): void {
    const before = this.#prompts.get(id);
    this.#prompts.set(id, prompts);
    this.#update(id, (unsent) => mergePrompts(unsent, before, prompts));
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

  readChips(id: string): readonly Chip[] {
    const chips = this.#chipFiles.get(id) ?? [];
    this.#chips.set(id, chips);
    return chips;
  }

  changeChips(id: string, change: ChipsChange): void {
    this.#chips.set(id, change(this.#chips.get(id) ?? []));
    this.#updateChips(id, change);
  }

  /**
   * Merges what is unsent in two conversations that turned out to be one. A draft of `to` may be on screen, so the draft of `from` becomes
   * a returned prompt.
   */
  move(from: string, to: string): void {
    const { outbox, returned } = this.#promptFiles.get(from) ?? nothingUnsent;
    const draft = this.#draftOf(from);
    const chips = (this.#chipFiles.get(from) ?? []).map((chip) => chip.content);
    const content: readonly ContentBlock[] = [...(draft === '' ? [] : [{ type: 'text', text: draft } as const]), ...chips];
    const prompt: OutboxPrompt = { id: randomUUID(), at: Date.now(), content, held: undefined };
    this.#update(to, (unsent) => ({
      outbox: [...unsent.outbox, ...outbox],
      returned: [...unsent.returned, ...returned, ...(content.length === 0 ? [] : [prompt])],
    }));
    for (const last of [this.#drafts, this.#chips, this.#prompts]) last.delete(from);
    this.remove(from);
  }

  remove(id: string): void {
    for (const files of this.#folders) files.update(id, () => undefined);
  }

  /** Saves the drafts, chips and unsent prompts of this process again if another process deleted their conversations. */
  keep(isDeletedElsewhere: (id: string) => boolean): void {
    for (const id of new Set([...this.#drafts.keys(), ...this.#chips.keys(), ...this.#prompts.keys()])) {
      if (!isDeletedElsewhere(id) || this.has(id)) continue;
      this.#saveDraft(id, this.#drafts.get(id) ?? '');
      this.#updateChips(id, () => this.#chips.get(id) ?? []);
      this.#update(id, (unsent) => this.#prompts.get(id) ?? unsent);
    }
  }

  dispose(): void {
    this.#owned.dispose();
  }

  get #folders(): readonly Pick<JsonFolder<unknown>, 'get' | 'update' | 'isWaiting'>[] {
    return [this.#promptFiles, this.#draftFiles, this.#chipFiles];
  }

  #draftOf(id: string): string {
    return this.#draftFiles.get(id) ?? '';
  }

  #saveDraft(id: string, text: string): void {
    this.#draftFiles.update(id, () => (text === '' ? undefined : text), 'draft');
  }

  #updateChips(id: string, change: ChipsChange): void {
    this.#chipFiles.update(id, (before = []) => {
      const after = change(before);
      return after.length === 0 ? undefined : after;
    });
  }

  #update(id: string, change: (unsent: Unsent) => Unsent): void {
    this.#promptFiles.update(id, (before = nothingUnsent) => {
      const after = change(before);
      return isNothing(after) ? undefined : after;
    });
  }
}

function isNothing({ outbox, returned }: Unsent): boolean {
  return outbox.length === 0 && returned.length === 0;
}
